// A memory of sums that is updated at once, beside the pipelined one: after any sequence of steps they agree.
module check (
    input clk,
    input valid,
    input first,
    input [{{address_bits}}-1:0] address,
    input [{{bits}}-1:0] value,
    input [{{address_bits}}-1:0] drain_address
);
  localparam WORDS = {{words}}, BITS = {{bits}}, LEAD = {{lead}}, SETTLE = {{settle}};

  reg started = 0;
  wire [BITS-1:0] drain_data;
  accumulator dut (
      .clk(clk), .rst(!started), .valid(valid), .first(first), .address(address), .value(value),
      .drain_address(drain_address), .drain_data(drain_data)
  );

  reg [BITS-1:0] sums[0:WORDS-1];
  reg [WORDS-1:0] begun = 0;
  reg [LEAD-1:0] valids = 0, firsts = 0;
  reg [{{address_bits}}*LEAD-1:0] addresses = 0;
  reg [4:0] quiet = 0;
  reg [{{address_bits}}-1:0] drained = 0;
  wire [{{address_bits}}-1:0] target = addresses[{{address_bits}}*LEAD-1-:{{address_bits}}];
  wire [BITS-1:0] start = firsts[LEAD-1] ? {{init}} : sums[target];

  always @* begin
    assume (started || !valid);
    assume (!valid || address < WORDS && (first || begun[address]));
    assume (drain_address < WORDS);
    assert (quiet < SETTLE || !begun[drain_address] || drained != drain_address || drain_data == sums[drain_address]);
  end

  always @(posedge clk) begin
    started <= 1;
    valids <= {valids, valid};
    firsts <= {firsts, first};
    addresses <= {addresses, address};
    if (valid) begun[address] <= 1;
    if (valids[LEAD-1]) sums[target] <= {{combine}};
    quiet <= valid || drain_address != drained ? 0 : quiet == SETTLE ? SETTLE : quiet + 1;
    drained <= drain_address;
  end
endmodule
