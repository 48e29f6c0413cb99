// The word at accumulator address i of each of two parts is i; four tiles of four words make a run. At the port the words
// come once each and in order, whatever the pauses on both sides, and wait unchanged; the writer is idle only when all
// of a run have been accepted, and takes no tile that is not complete. To carry the induction: where each word is that
// has been stepped over and not yet accepted, and what the loop counters say.
module check (
    input clk,
    input start,
    input tile_full,
    input ready
);
  localparam LATE = {{latency}}, PLACES = {{places}};

  reg started = 0, waiting = 0;
  reg [2:0] base = 0, read = 0, data = 0;
  reg [3:0] expected = 0;
  wire valid, retire, idle;
  wire [2:0] drain_address, stored;
  wire [3:0] addr;
  writer dut (
      .clk(clk), .rst(!started), .start(start), .tile_full(tile_full), .base(base), .drain_address(drain_address),
      .drain_data(data), .ready(ready), .valid(valid), .addr(addr), .data(stored), .retire(retire), .idle(idle)
  );

  (* hierconn *) wire [2:0] \dut.words_pending , \dut.queue.inner_level , \dut.queue.consume , \dut.queue.produce ;
  (* hierconn *) wire [LATE-1:0] \dut.arrival_delay{{latency}}.stages ;
  (* hierconn *) wire \dut.walk.valid , \dut.walk.tile_last , \dut.walk.word_last ;
  (* hierconn *) wire [1:0] \dut.walk.tile_count , \dut.walk.word_count , \dut.walk.word ;
  (* hierconn *) wire [3:0] \dut.walk.address , \dut.walk.address_at_tile ;
{{storage_wires}}
  wire [6:0] storage[0:PLACES-1];
{{storage_values}}
  wire [3:0] coming = expected + \dut.words_pending , place = {\dut.walk.tile_count , \dut.walk.word_count };
  integer i;
  reg [2:0] under_way;
  reg [3:0] at, number;

  always @* begin
    assume (!start || started && idle);
    {at, number, under_way} = 0;
    for (i = 0; i < LATE; i = i + 1) under_way = under_way + \dut.arrival_delay{{latency}}.stages [i];
    if (started) begin
      assert (!valid || addr == expected && stored == expected[2:0]);
      assert (!waiting || valid);
      assert (!retire || tile_full);
      assert (!idle || expected == 0);
      assert (\dut.words_pending == under_way + \dut.queue.inner_level + valid);
      assert (\dut.words_pending <= PLACES + 1 && \dut.queue.inner_level <= PLACES);
      assert (valid || \dut.queue.inner_level <= 1);
      assert (\dut.queue.consume < PLACES && \dut.queue.produce < PLACES);
      assert ((\dut.queue.consume + \dut.queue.inner_level ) % PLACES == \dut.queue.produce );
      assert (coming == (\dut.walk.valid ? place : 0) && base[2] == (\dut.walk.valid && \dut.walk.tile_count [0]));
      assert (base[1:0] == 0);
      if (\dut.walk.valid ) begin
        assert (\dut.walk.address == place && \dut.walk.address_at_tile == {\dut.walk.tile_count , 2'b0});
        assert (\dut.walk.word == \dut.walk.word_count );
        assert (\dut.walk.tile_last == (\dut.walk.tile_count == 3) && \dut.walk.word_last == (\dut.walk.word_count == 3));
      end
      for (i = 0; i < PLACES; i = i + 1) begin
        at = (\dut.queue.consume + i) % PLACES;
        number = expected + valid + i;
        assert (i >= \dut.queue.inner_level || storage[at] == {number[2:0], number});
      end
    end
  end

  always @(posedge clk) begin
    started <= 1;
    waiting <= started && valid && !ready;
    read <= drain_address;
    data <= read;
    if (started && retire) base <= base ^ 4;
    if (started && valid && ready) expected <= expected + 1;
  end
endmodule
