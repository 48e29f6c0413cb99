  // For synthesis, in place of what a memory is: one of more than CELL_BITS bits is a macro, a
  // smaller one is made of cells.
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
      reg [WIDTH-1:0] late;
      assign read_data = late;
@WORDS@
    end
  endgenerate
