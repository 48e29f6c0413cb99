// Each request has its answer, in order, with the words that it is for, as they are in memory when the request is
// accepted or later; bursts keep inside a page and are no longer than they may be; beats have room. Byte b of memory is
// the low bits of its address, and a bit that turns from 0 to 1 at some time. When nothing more is asked and nobody
// pauses, all answers come.
module check (
    input clk,
    input fresh,
    input req_valid,
    input [1:0] req_addr,
    input [1:0] req_mask,
    input run_ready,
    input deliver,
    input resp_ready,
    input turns
);
  localparam ROOM = {{room}}, BURST = {{burst}}, ASKS = {{asks}}, END = {{end}};
  localparam [63:0] BASE = {{base}};

  reg started = 0, version = 0, waiting = 0, promised = 0, settled = 0;
  reg [4:0] now = 0;
  reg [3:0] asked = 0, answered = 0;
  reg [15:0] before = 0;
  (* anyconst *) reg [3:0] chosen;
  reg [1:0] wanted_addr, wanted_mask;

  wire req_ready, resp_valid, run_valid, quiet;
  wire [15:0] resp_data;
  wire [62:0] run_beat;
  wire [7:0] run_length;
  reg [12:0] queue[0:ROOM-1];
  reg [3:0] queued = 0;
  wire beat_valid = deliver && queued != 0;
  wire [11:0] beat = queue[0][11:0];
  wire [6:0] even = {beat[5:0], 1'b0}, odd = {beat[5:0], 1'b1};
  reads dut (
      .clk(clk), .rst(!started), .req_valid(req_valid), .req_ready(req_ready), .req_addr(req_addr), .req_mask(req_mask),
      .resp_valid(resp_valid), .resp_ready(resp_ready), .resp_data(resp_data), .base(BASE), .fresh(fresh),
      .quiet(quiet), .run_valid(run_valid), .run_ready(run_ready), .run_beat(run_beat), .run_length(run_length),
      .beat_valid(beat_valid), .beat_data({queue[0][12], odd, queue[0][12], even})
  );

  wire take = req_valid && req_ready, give = resp_valid && resp_ready, hand = run_valid && run_ready;
  wire [1:0] second = wanted_addr + 1;
  wire [6:0] low = BASE + wanted_addr, high = BASE + second;
  wire [10:0] last = run_beat[10:0] + run_length[3:0];
  integer i;
  reg [3:0] level;

  always @* begin
    assume (started || !(req_valid || fresh || turns));
    assume (!req_valid || req_mask != 0 && !(req_mask == 3 && req_addr == 3));
    assume (now < ASKS || !req_valid && run_ready && deliver && resp_ready);
    if ({{keeps}}) assume (!turns || fresh && asked == answered && !req_valid);
    if (started) begin
      assert (answered <= asked && queued <= ROOM);
      assert (!waiting || resp_valid && resp_data == before);
      if (run_valid) assert (run_length < BURST && last >= run_beat[10:0]);
      if (resp_valid && answered == chosen) begin
        if (wanted_mask[0]) assert (resp_data[6:0] == low && (resp_data[7] || !promised));
        if (wanted_mask[1]) assert (resp_data[14:8] == high && (resp_data[15] || !promised));
      end
      if (now == END) assert (asked == answered && quiet);
    end
  end

  always @(posedge clk) begin
    started <= 1;
    if (started) begin
      now <= now + (now != END);
      version <= version || turns;
      waiting <= resp_valid && !resp_ready;
      before <= resp_data;
      asked <= asked + take;
      answered <= answered + give;
      if (take && asked == chosen) {wanted_addr, wanted_mask, promised} <= {req_addr, req_mask, version};
      level = queued - beat_valid;
      if (beat_valid) for (i = 1; i < ROOM; i = i + 1) queue[i-1] = queue[i];
      if (hand)
        for (i = 0; i < BURST; i = i + 1)
          if (i <= run_length) begin
            queue[level] = {version, run_beat[11:0] + i[11:0]};
            level = level + 1;
          end
      queued <= level;
    end
  end
endmodule
