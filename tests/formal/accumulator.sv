// A memory of sums that is updated at once, beside the pipelined one: after any sequence of steps they agree, or where
// words are not visited again soon, after any without such. To carry the induction: both of its memories hold the sums,
// but for the one that lands next.
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
  reg [WORDS-1:0] begun = 0, held = 0, coming;
  integer stage;
  reg [LEAD:0] valids = 0;
  reg [LEAD-1:0] firsts = 0;
  reg [{{address_bits}}*(LEAD+1)-1:0] addresses = 0;
  reg [4:0] quiet = 0;
  reg [{{address_bits}}-1:0] drained = 0;
  wire [{{address_bits}}-1:0] target = addresses[{{address_bits}}*LEAD-1-:{{address_bits}}];
  wire [{{address_bits}}-1:0] landing = addresses[{{address_bits}}*(LEAD+1)-1-:{{address_bits}}];
  (* hierconn *) wire [BITS-1:0] \dut.total ;
{{words_of_memories}}
  wire [BITS-1:0] start = firsts[LEAD-1] ? {{init}} : sums[target];

  always @* begin
    assume (started || !valid);
    assume (!valid || address < WORDS && (first || begun[address]));
    for (stage = 0; stage <= LEAD; stage = stage + 1)
      assume ({{soon}} || !valid || first || !valids[stage] || addresses[stage*{{address_bits}}+:{{address_bits}}] != address);
    coming = 0;
    for (stage = 0; stage < LEAD; stage = stage + 1)
      if (valids[stage] && firsts[stage]) coming[addresses[stage*{{address_bits}}+:{{address_bits}}]] = 1;
    assert (begun == (held | coming));
    assume (drain_address < WORDS);
{{memories_hold_the_sums}}
    assert (quiet < SETTLE || !begun[drain_address] || drained != drain_address || drain_data == sums[drain_address]);
  end

  always @(posedge clk) begin
    started <= 1;
    valids <= {valids, valid};
    firsts <= {firsts, first};
    addresses <= {addresses, address};
    if (valid) begun[address] <= 1;
    if (valids[LEAD-1]) sums[target] <= {{combine}};
    if (valids[LEAD-1]) held[target] <= 1;
    quiet <= valid || drain_address != drained ? 0 : quiet == SETTLE ? SETTLE : quiet + 1;
    drained <= drain_address;
  end
endmodule
