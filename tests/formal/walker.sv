// The counters of a nest visit the iterations of a table, each once, in order, with any pauses, run after run.
module check (
    input clk,
    input start,
    input advance
);
  reg started = 0, running = 0;
  reg [7:0] index = 0;
  wire valid;
{{wires}}
  nest_walk dut (.clk(clk), .rst(!started), .start(start), .advance(advance), .valid(valid){{pins}});

  reg [{{bits}}-1:0] expected;
  always @* case (index)
{{table}}
    default: expected = 0;
  endcase

  always @* begin
    assume (!start || started && !running);
    assume (!advance || running);
    if (started) begin
      assert (valid == running);
      assert (!running || {{{outputs}}} == expected);
    end
  end

  always @(posedge clk) begin
    started <= 1;
    if (start) begin running <= 1; index <= 0; end
    if (advance) begin running <= index != {{count}} - 1; index <= index + 1; end
  end
endmodule
