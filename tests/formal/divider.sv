// What comes out of a divider is the quotient and the remainder of what went in so many cycles before. A divisor's
// magnitude has as many bits as the remainder.
module check (
    input clk,
    input {{a_sign}} [{{a_bits}}-1:0] a,
    input {{b_sign}} [{{b_bits}}-1:0] b
);
  localparam LATENCY = {{latency}};

  reg {{a_sign}} [{{a_bits}}-1:0] dividends[LATENCY-1:0];
  reg {{b_sign}} [{{b_bits}}-1:0] divisors[LATENCY-1:0];
  reg [LATENCY-1:0] started = 0;
  wire {{q_sign}} [{{q_bits}}-1:0] quotient;
  wire [{{remainder_bits}}-1:0] remainder;
  divider dut (.clk(clk), .rst(1'b0), .dividend(a), .divisor(b), .quotient(quotient), .remainder(remainder));

  integer i;
  always @(posedge clk) begin
    dividends[0] <= a;
    divisors[0] <= b;
    for (i = 1; i < LATENCY; i = i + 1) begin
      dividends[i] <= dividends[i-1];
      divisors[i] <= divisors[i-1];
    end
    started <= {started, 1'b1};
  end

  wire signed [15:0] x = dividends[LATENCY-1], y = divisors[LATENCY-1], q = quotient;
  wire signed [15:0] r = {1'b0, remainder}, size = y < 0 ? -y : y;
  wire signed [15:0] now = b;
  always @* begin
    assume ((now < 0 ? -now : now) < (1 << {{remainder_bits}}));
    if (started[LATENCY-1]) begin
      if (y == 0) assert (q == 0 && r == 0);
      else assert (q * y + r == x && r < size);
    end
  end
endmodule
