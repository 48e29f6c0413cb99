// A memory with one write port and one read port: synchronous, read latency 2 (a register behind the array, whose
// own delay is long), no reset. No user needs a word that is read in the cycle in which it is written: the parts of
// a buffer and forwarding of sums see to that, so synthesis need not guard its old value (`no_rw_check`).
module ram #(
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
    output reg  [WIDTH-1:0]   read_data
);
  (* no_rw_check *)
  reg [WIDTH-1:0] words[0:DEPTH-1];
  reg [WIDTH-1:0] word;
  always @(posedge clk) begin
    if (write_enable) words[write_address] <= write_data;
    if (read_enable) word <= words[read_address];
    read_data <= word;
  end
endmodule

// A memory with one port: a word is written or read in a cycle. Read latency 2, no reset. Who uses it has made sure that
// both are never wanted in one cycle; in simulation that ends the run.
module one_port #(
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
    output reg  [WIDTH-1:0]   read_data
);
  reg [WIDTH-1:0] words[0:DEPTH-1];
  reg [WIDTH-1:0] word;
  wire [ADDRESS-1:0] address = write_enable ? write_address : read_address;
  always @(posedge clk) begin
    if (write_enable) words[address] <= write_data;
    else if (read_enable) word <= words[address];
    read_data <= word;
  end
`ifndef SYNTHESIS
  always @(posedge clk)
    if (write_enable && read_enable) begin
      $display("%m: a read and a write want the one port in the same cycle");
      $fatal;
    end
`endif
endmodule

// `q` is `d`, DEPTH (at least 1) cycles later. No reset.
module delay #(
    parameter WIDTH = 1,
    parameter DEPTH = 1
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
  reg [WIDTH*DEPTH-1:0] stages;
  generate
    if (DEPTH == 1) begin : one
      always @(posedge clk) stages <= d;
    end else begin : many
      always @(posedge clk) stages <= {stages[WIDTH*(DEPTH-1)-1:0], d};
    end
  endgenerate
  assign q = stages[WIDTH*DEPTH-1:WIDTH*(DEPTH-1)];
endmodule

// `q` is `d`, DEPTH (at least 1) cycles later; zero after reset.
module delay_reset #(
    parameter WIDTH = 1,
    parameter DEPTH = 1
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
  reg [WIDTH*DEPTH-1:0] stages = {WIDTH * DEPTH{1'b0}};
  generate
    if (DEPTH == 1) begin : one
      always @(posedge clk)
        if (rst) stages <= {WIDTH{1'b0}};
        else stages <= d;
    end else begin : many
      always @(posedge clk)
        if (rst) stages <= {WIDTH * DEPTH{1'b0}};
        else stages <= {stages[WIDTH*(DEPTH-1)-1:0], d};
    end
  endgenerate
  assign q = stages[WIDTH*DEPTH-1:WIDTH*(DEPTH-1)];
endmodule
