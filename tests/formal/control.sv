// Two read ports and a write port, with processes that keep what they offer and a memory that answers what it was asked.
// An offer on a port stays until it is accepted, abort or not. After an abort the ports offer nothing new and every
// answer is taken; the processes are reset, but only when nothing is offered, and then until no answer is owed; an idle
// accelerator offers nothing and is owed nothing. Without an abort nothing is held back but new requests of `b`, whose
// tensor `y` writes, until its words have settled; then only does a run end or an aborted one become idle. Without
// `abort` while a run goes on there is none. To carry the induction: the component's own state.
module check (
    input clk,
    input start,
    input abort,
    input finished,
    input [2:0] offer,
    input [2:0] ready,
    input [1:0] take,
    input [1:0] answer,
    input settled
);
  localparam MOST = {{most}};

  reg started = 0;
  wire go, running, idle, done, reset;
  wire [2:0] valid;
  wire [1:0] taking;
  control dut (
      .clk(clk), .rst(!started), .start(start), .abort(abort), .finished(finished), .go(go), .running(running),
      .idle(idle), .done(done), .reset(reset),
      .a_req_offer(offer[0]), .a_req_ready(ready[0]), .a_req_valid(valid[0]), .a_take(take[0]),
      .a_resp_valid(answer[0]), .a_resp_ready(taking[0]),
      .b_req_offer(offer[1]), .b_req_ready(ready[1]), .b_req_valid(valid[1]), .b_take(take[1]),
      .b_resp_valid(answer[1]), .b_resp_ready(taking[1]),
      .y_offer(offer[2]), .y_ready(ready[2]), .y_valid(valid[2]), .y_settled(settled)
  );

  // What waits at each port, the answers owed, whether the run is aborted or over, whether its processes are at rest,
  // and for how many cycles of the abort nothing has been left to wait for.
  reg [2:0] waiting = 0;
  reg [3:0] owed_a = 0, owed_b = 0;
  reg stopping = 0, resting = 1, over = 0;
  reg nothing_left = 0;
  wire left = waiting != 0 || owed_a != 0 || owed_b != 0;
  (* hierconn *) wire \dut.aborting , \dut.a_req_waiting , \dut.b_req_waiting , \dut.y_waiting ;
  (* hierconn *) wire [{{bits}}-1:0] \dut.a_outstanding ;
  (* hierconn *) wire \dut.b_outstanding ;

  always @* begin
    assume ((offer & waiting) == waiting);
    assume (!resting || offer == 0);
    assume (!(valid[0] && ready[0]) || owed_a < MOST);
    assume (!(valid[1] && ready[1]) || owed_b < 1);
    assume (!answer[0] || owed_a != 0);
    assume (!answer[1] || owed_b != 0);
    assume (!finished || stopping || offer == 0 && !left);
    if (started) begin
      assert ((valid & waiting) == waiting);
      assert (idle == !running && go == (start && idle));
      assert (!idle || valid == 0 && !left && !stopping);
      assert (!stopping || !done && taking == 3 && (valid & ~waiting) == 0);
      assert (!valid[1] || waiting[1] || settled);
      assert (stopping || !reset && valid == (offer & {1'b1, settled || waiting[1], 1'b1}) && taking == take);
      assert (!reset || valid == 0);
      assert (!nothing_left || stopping && reset);
      assert (done == over);
      assert (stopping == \dut.aborting && waiting == {\dut.y_waiting , \dut.b_req_waiting , \dut.a_req_waiting });
      assert (owed_a == \dut.a_outstanding && owed_b == \dut.b_outstanding );
      assert (!idle || resting);
      assert (!resting || idle || stopping);
      assert (!over || idle);
    end
  end

  always @(posedge clk) begin
    started <= 1;
    waiting <= started ? valid & ~ready : 0;
    if (started) begin
      owed_a <= owed_a + (valid[0] && ready[0]) - (answer[0] && taking[0]);
      owed_b <= owed_b + (valid[1] && ready[1]) - (answer[1] && taking[1]);
      if (go) {resting, over} <= 0;
      else if (running && finished && settled && !stopping) {resting, over} <= 3;
      else if (running && abort && !stopping) stopping <= 1;
      if (reset) resting <= 1;
      if (reset && !left && settled) stopping <= 0;
      nothing_left <= stopping && !reset && !left;
    end
  end
endmodule
