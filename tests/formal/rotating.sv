// Tiles of two numbered words, each in a bank that its place chooses, in a memory of HALVES parts. The writer is as fast
// as any can be: it takes a part when it is free, and its words land a cycle (0, where EARLY) after they are there.
module check (
    input clk,
    input arrive,
    input step
);
  localparam LATENCY = {{latency}}, BITS = {{bits}}, EARLY = {{early}};

  reg started = 0, landing = 0, place = 0, digit = 0;
  reg [BITS-1:0] arrived = 0, number = 0, read = 0;
  reg [LATENCY-1:0] due = 0;
  wire free, granted, full;
  wire [BITS-1:0] word;
  wire last = arrive && arrived[0];
  numbers_buffer dut (
      .clk(clk), .rst(!started), .w_valid(EARLY ? arrive : landing), .w_address(1'b0),
      .w_data(EARLY ? arrived : number), .w_digit0(EARLY ? arrived[0] : digit), .r_step(step), .r_address(1'b0),
      .r_place0(place), .r_data(word), .reserve(arrive && !arrived[0]),
      .commit(EARLY ? last : landing && digit), .retire(step && place), .free(free), .granted(granted), .full(full)
  );

  always @* begin
    assume (started || !(arrive || step));
    assume (!arrive || arrived[0] || free);
    assume (!step || full);
    assert (!due[LATENCY-1] || word == read);
  end

  always @(posedge clk) begin
    started <= 1;
    due <= {due, step};
    landing <= arrive;
    digit <= arrived[0];
    number <= arrived;
    if (arrive) arrived <= arrived + 1;
    if (step) place <= !place;
    if (due[LATENCY-1]) read <= read + 1;
  end
endmodule
