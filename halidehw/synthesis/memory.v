// For synthesis, in place of the primitive of the same name: a memory of at most CELL_BITS bits is made of cells (a
// register file), a larger one is a macro.
module halidehw_ram #(
    parameter WIDTH = 16,
    parameter DEPTH = 1,
    parameter ADDRESS = 1
) (
    input  wire               clk,
    input  wire               write_enable,
    input  wire [ADDRESS-1:0] write_address,
    input  wire [WIDTH-1:0]   write_data,
    input  wire               read_enable,
    input  wire [ADDRESS-1:0] read_address,
    output wire [WIDTH-1:0]   read_data
);
  generate
    if (WIDTH * DEPTH > `CELL_BITS) begin : macro
      halidehw_macro #(.WIDTH(WIDTH), .DEPTH(DEPTH), .ADDRESS(ADDRESS)) ram (
          .clk(clk),
          .write_enable(write_enable),
          .write_address(write_address),
          .write_data(write_data),
          .read_enable(read_enable),
          .read_address(read_address),
          .read_data(read_data)
      );
    end else begin : cells
      reg [WIDTH-1:0] words[0:DEPTH-1];
      reg [WIDTH-1:0] word, late;
      always @(posedge clk) begin
        if (write_enable) words[write_address] <= write_data;
        if (read_enable) word <= words[read_address];
        late <= word;
      end
      assign read_data = late;
    end
  endgenerate
endmodule

(* blackbox *)
module halidehw_macro #(
    parameter WIDTH = 16,
    parameter DEPTH = 1,
    parameter ADDRESS = 1
) (
    input  wire               clk,
    input  wire               write_enable,
    input  wire [ADDRESS-1:0] write_address,
    input  wire [WIDTH-1:0]   write_data,
    input  wire               read_enable,
    input  wire [ADDRESS-1:0] read_address,
    output wire [WIDTH-1:0]   read_data
);
endmodule
