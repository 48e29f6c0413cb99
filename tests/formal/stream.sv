// Words are numbered as they enter a stream of two parts; they leave with the same numbers, whatever the pauses on both
// sides. To carry the induction: the full parts hold the numbers that come next.
module check (
    input clk,
    input reserve,
    input last,
    input retire
);
  localparam LATENCY = {{latency}}, BITS = {{bits}};

  reg started = 0, commit = 0;
  reg [BITS-1:0] written = 0, read = 0, taken = 0;
  reg [LATENCY-1:0] due = 0;
  wire free, granted, full;
  wire [BITS-1:0] word;
  numbers_buffer dut (
      .clk(clk), .rst(!started), .w_valid(commit), .w_address(1'b0), .w_data(written), .r_step(retire),
      .r_address(1'b0), .r_data(word), .reserve(reserve), .commit(commit), .retire(retire), .free(free),
      .granted(granted), .full(full)
  );

  (* hierconn *) wire [1:0] \dut.owner.free_parts , \dut.owner.granted_parts , \dut.owner.full_parts ;
  (* hierconn *) wire \dut.owner.write_base , \dut.owner.read_base ;
  (* hierconn *) wire [BITS-1:0] \dut.bank.words[0] , \dut.bank.words[1] ;
  wire [BITS-1:0] next = taken + 1;
  wire [BITS-1:0] first = taken[0] ? \dut.bank.words[1] : \dut.bank.words[0] ;
  wire [BITS-1:0] second = taken[0] ? \dut.bank.words[0] : \dut.bank.words[1] ;
  wire [BITS-1:0] left = taken - read, held = written - taken;

  always @* begin
    assume (started || !(reserve || last || retire));
    assume (!reserve || free);
    assume (!last || granted);
    assume (!retire || full);
    assert (!due[LATENCY-1] || word == read);
    if (started) begin
      assert (left == due[0] + due[1] + due[2] && held == \dut.owner.full_parts );
      assert (\dut.owner.free_parts + \dut.owner.granted_parts + \dut.owner.full_parts == 2);
      assert (\dut.owner.granted_parts >= commit + last);
      assert (\dut.owner.write_base == written[0] && \dut.owner.read_base == taken[0]);
      assert (held == 0 || first == taken);
      assert (held != 2 || second == next);
    end
  end

  always @(posedge clk) begin
    started <= 1;
    commit <= last;
    due <= {due, retire};
    if (commit) written <= written + 1;
    if (retire) taken <= taken + 1;
    if (due[LATENCY-1]) read <= read + 1;
  end
endmodule
