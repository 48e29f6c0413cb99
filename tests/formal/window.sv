// The words of a window's memory are numbered as they are asked for: two runs of two steps of the array, each begun two
// steps early. With each step the array gets the number that came with it and the two before, whatever the pauses of the
// memory (`there`) and of the array.
module check (
    input clk,
    input there,
    input array
);
  localparam LATENCY = {{latency}}, BITS = {{bits}};

  reg started = 0, begun = 0, second = 0;
  reg [BITS-1:0] word = -1, want = 2;
  reg [LATENCY-1:0] asked = 0, taken = 0;
  wire ready, step, retire, address;
  wire [3*BITS-1:0] data;
  wire take = array && ready;
  wire [BITS-1:0] before = want - 1, first = want - 2;
  numbers_window dut (
      .clk(clk), .rst(!started), .start(started && !begun), .source_full(there), .take(take), .ready(ready),
      .r_step(step), .r_address(address), .retire(retire), .words(word), .data(data)
  );

  always @* begin
    assert (!step || there);
    assert (!taken[LATENCY-1] || data == {first, before, want});
  end

  always @(posedge clk) begin
    started <= 1;
    begun <= started;
    asked <= {asked, step};
    taken <= {taken, take};
    if (asked[LATENCY-2]) word <= word + 1;
    if (taken[LATENCY-1]) begin
      second <= !second;
      want <= want + (second ? 3 : 1);
    end
  end
endmodule
