// Words reach memory as they were written: of one byte of memory, which may be any, what is stored is what the last
// request for it said, and nothing is where no request was for it. Bursts keep inside a page, are no longer than they
// may be, and have all of their beats. When the adapter says that all is settled, it is. When nothing more is written
// and nobody pauses, it says so.
module check (
    input clk,
    input valid,
    input [1:0] addr,
    input [1:0] mask,
    input [15:0] data,
    input run_ready,
    input beat_ready,
    input answer
);
  localparam BURST = {{burst}}, ASKS = {{asks}}, END = {{end}};
  localparam [63:0] BASE = {{base}};

  reg started = 0, given = 0, stored = 0;
  reg [4:0] now = 0;
  reg [7:0] last_given = 0, last_stored = 0;
  (* anyconst *) reg [1:0] word;
  reg running = 0;
  reg [12:0] at = 0;
  reg [7:0] left = 0;
  reg [3:0] unanswered = 0;

  wire ready, settled, run_valid, beat_valid;
  wire [62:0] run_beat;
  wire [7:0] run_length;
  wire [15:0] beat_data;
  wire [1:0] beat_strobe;
  wire answered = answer && unanswered != 0;
  writes dut (
      .clk(clk), .rst(!started), .valid(valid), .ready(ready), .addr(addr), .mask(mask), .data(data), .base(BASE),
      .answered(answered), .settled(settled), .run_valid(run_valid), .run_ready(run_ready && !running),
      .run_beat(run_beat), .run_length(run_length), .beat_valid(beat_valid), .beat_ready(beat_ready && running),
      .beat_data(beat_data), .beat_strobe(beat_strobe)
  );

  wire take = valid && ready, hand = run_valid && run_ready && !running;
  wire push = beat_valid && beat_ready && running;
  wire [1:0] following = addr + 1;
  wire [12:0] byte_at = BASE + word;
  wire [10:0] last = run_beat[10:0] + run_length[3:0];

  always @* begin
    assume (started || !valid);
    assume (!valid || mask != 0 && !(mask == 3 && addr == 3));
    assume (now < ASKS || !valid && run_ready && beat_ready && answer);
    if (started) begin
      if (run_valid) assert (run_length < BURST && last >= run_beat[10:0]);
      if (settled) assert (unanswered == 0 && !running && !run_valid && stored == given && last_stored == last_given);
      if (stored) assert (given);
      if (now == END) assert (settled);
    end
  end

  always @(posedge clk) begin
    started <= 1;
    if (started) begin
      now <= now + (now != END);
      if (take && mask[0] && addr == word) {given, last_given} <= {1'b1, data[7:0]};
      if (take && mask[1] && following == word) {given, last_given} <= {1'b1, data[15:8]};
      if (hand) begin
        running <= 1;
        at <= run_beat[12:0];
        left <= run_length;
      end
      if (push) begin
        if (at[11:0] == byte_at[12:1] && beat_strobe[byte_at[0]])
          {stored, last_stored} <= {1'b1, byte_at[0] ? beat_data[15:8] : beat_data[7:0]};
        at <= at + 1;
        left <= left - 1;
        if (left == 0) running <= 0;
      end
      unanswered <= unanswered + (push && left == 0) - answered;
    end
  end
endmodule
