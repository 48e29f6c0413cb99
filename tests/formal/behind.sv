// Words are numbered as they enter a queue of two parts with two rows of three columns behind it. A step gets its own
// number, and those of three and of six steps before, whatever the pauses on both sides.
module check (
    input clk,
    input reserve,
    input last,
    input retire
);
  localparam LATENCY = {{latency}}, BITS = 4;

  reg started = 0, commit = 0;
  reg [BITS-1:0] written = 0, read = 0;
  reg [1:0] column = 0;
  reg [LATENCY-1:0] due = 0;
  wire free, granted, full;
  wire [BITS-1:0] word, before, first;
  numbers_buffer dut (
      .clk(clk), .rst(!started), .w_valid(commit), .w_address(1'b0), .w_data(written), .r_step(retire),
      .r_address(1'b0), .r_column(column), .r_data({first, before, word}), .reserve(reserve), .commit(commit),
      .retire(retire), .free(free), .granted(granted), .full(full)
  );

  // Whether a row, and two, have gone by.
  wire once = read >= 3, twice = read >= 6;

  always @* begin
    assume (started || !(reserve || last || retire));
    assume (!reserve || free);
    assume (!last || granted);
    assume (!retire || full);
    assert (!due[LATENCY-1] || word == read);
    assert (!due[LATENCY-1] || !once || before == read - 3);
    assert (!due[LATENCY-1] || !twice || first == read - 6);
  end

  always @(posedge clk) begin
    started <= 1;
    commit <= last;
    due <= {due, retire};
    if (commit) written <= written + 1;
    if (retire) column <= column == 2 ? 0 : column + 1;
    if (due[LATENCY-1]) read <= read + 1;
  end
endmodule
