// Words are numbered as they enter a stream; they leave with the same numbers, whatever the pauses on both sides.
module check (
    input clk,
    input reserve,
    input last,
    input retire
);
  localparam LATENCY = {{latency}}, BITS = {{bits}};

  reg started = 0, commit = 0;
  reg [BITS-1:0] written = 0, read = 0;
  reg [LATENCY-1:0] due = 0;
  wire free, granted, full;
  wire [BITS-1:0] word;
  numbers_buffer dut (
      .clk(clk), .rst(!started), .w_valid(commit), .w_address(1'b0), .w_data(written), .r_step(retire),
      .r_address(1'b0), .r_data(word), .reserve(reserve), .commit(commit), .retire(retire), .free(free),
      .granted(granted), .full(full)
  );

  always @* begin
    assume (started || !(reserve || last || retire));
    assume (!reserve || free);
    assume (!last || granted);
    assume (!retire || full);
    assert (!due[LATENCY-1] || word == read);
  end

  always @(posedge clk) begin
    started <= 1;
    commit <= last;
    due <= {due, retire};
    if (commit) written <= written + 1;
    if (due[LATENCY-1]) read <= read + 1;
  end
endmodule
