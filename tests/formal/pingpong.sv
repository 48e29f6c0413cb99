// The parts of a double buffer, counted apart from the component: no more are in use than there are, so none is
// overwritten before it is read; none is read before it is written; none is lost; writer and reader go round in order.
module check (
    input clk,
    input reserve,
    input last,
    input retire
);
  localparam HALVES = {{halves}}, STRIDE = {{stride}}, COMMIT_LAG = {{commit_lag}}, RELEASE_LAG = {{release_lag}};

  reg started = 0, commit = 0;
  wire free, granted, full;
  wire [{{base_bits}}-1:0] write_base, read_base;
  ping_pong dut (
      .clk(clk), .rst(!started), .reserve(reserve), .commit(commit), .retire(retire), .free(free),
      .granted(granted), .full(full), .write_base(write_base), .read_base(read_base)
  );

  // Parts passed on at each station so far, modulo 16; the component's own counts, to carry the induction.
  reg [3:0] reserved = 0, committed = 0, filled = 0, retired = 0, emptied = 0;
  reg [1:0] writing = 0, reading = 0;
  reg [COMMIT_LAG:0] landing = 0;
  reg [RELEASE_LAG:0] leaving = 0;
  wire arrives = COMMIT_LAG == 0 ? commit : landing[COMMIT_LAG-1];
  wire leaves = RELEASE_LAG == 0 ? retire : leaving[RELEASE_LAG-1];
  wire [3:0] in_use = reserved - emptied, unwritten = reserved - committed, unread = filled - retired;
  wire [3:0] arriving = COMMIT_LAG == 0 ? 0 : landing[0] + (COMMIT_LAG > 1 ? landing[1] : 0);
  wire [3:0] going = RELEASE_LAG == 0 ? 0 : leaving[0] + (RELEASE_LAG > 1 ? leaving[1] : 0);
  (* hierconn *) wire [{{count_bits}}-1:0] \dut.free_parts , \dut.granted_parts , \dut.full_parts ;

  function [1:0] next(input [1:0] part);
    next = part == HALVES - 1 ? 0 : part + 1;
  endfunction

  always @* begin
    assume (started || !(reserve || last || retire));
    assume (!reserve || free);
    assume (!last || granted);
    assume (!retire || full);
    if (started) begin
      assert (in_use <= HALVES && unwritten <= in_use && unread <= in_use - unwritten);
      assert (unwritten >= commit + last);
      assert (committed == filled + arriving && retired == emptied + going);
      assert (free == (in_use != HALVES) && full == (unread != 0));
      assert (write_base == writing * STRIDE && read_base == reading * STRIDE);
      assert (\dut.free_parts == HALVES - in_use && \dut.granted_parts == unwritten && \dut.full_parts == unread);
    end
  end

  always @(posedge clk) begin
    started <= 1;
    commit <= last;
    landing <= {landing, commit};
    leaving <= {leaving, retire};
    reserved <= reserved + reserve;
    committed <= committed + commit;
    filled <= filled + arrives;
    retired <= retired + retire;
    emptied <= emptied + leaves;
    if (commit) writing <= next(writing);
    if (retire) reading <= next(reading);
  end
endmodule
