// The gate of a load that follows tiles, beside counts of its own: a tile opens a cycle after as many have arrived as it
// needs, no sooner and no later, or the program before is over; and what was fetched before a tile was there is not kept for the next one.
module check (
    input clk,
    input start,
    input go,
    input opens,
    input [31:0] told,
    input [15:0] arrived
);
  reg started = 0;
  wire may_open, anew;
  reg [31:0] word = 0;
  wire [31:0] given = held ? word : told;
  gate dut (
      .clk(clk), .rst(!started), .start(start), .go(go), .opens(opens), .word(given), .arrived(arrived),
      .may_open(may_open), .anew(anew)
  );

  // Since the last start: how many arrived tiles the next tile needs, whether the program before is over, whether a tile
  // has opened after that, and whether the word is still the program's own.
  reg begun = 0, over = 0, kept = 0, held = 0;
  reg [23:0] needs = 0;
  wire follows = given[15:0] != 0;
  reg following = 0;
  (* hierconn *) wire [16:0] \dut.needed ;
  (* hierconn *) wire \dut.gone , \dut.whole , \dut.some_needed , \dut.reached ;
  reg [15:0] earlier = 0;

  always @* begin
    assume (started || !(start || go || opens));
    assume (told[15:0] != 0 || told[31:16] == 0);
    assume (!opens || (may_open && begun && !start));
    assume (!start || !begun || over);
    assume (!go || start || (begun && !over));
    if (started) assert (held == (begun && !over));
    if (started && begun) begin
      assert (\dut.gone == over && \dut.whole == kept);
      assert (over || (\dut.needed [16] ? needs[23:16] != 0 : needs == \dut.needed ));
      assert (kept || (\dut.needed != 0) == following);
      assert (over || !kept);
      assert (over || following || word[31:16] == 0);
      assert (\dut.some_needed == (\dut.needed != 0) && \dut.reached == (\dut.needed <= earlier));
      assert (may_open == (over || needs <= earlier));
      if (following && opens) assert (anew == !kept);
      if (!following && opens) assert (!anew);
    end
    if (started) assert (!start || anew);
    if (started) assert (!anew || start || opens);
  end

  always @(posedge clk) begin
    started <= 1;
    word <= given;
    earlier <= arrived;
    held <= (start || held) && !go;
    if (start) begin
      begun <= 1;
      over <= go;
      kept <= 0;
      needs <= given[15:0];
      following <= follows;
    end else begin
      over <= over || go;
      if (opens) begin
        kept <= over;
        needs <= over ? needs : needs + given[31:16];
      end
    end
  end
endmodule
