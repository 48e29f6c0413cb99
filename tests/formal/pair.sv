// Words numbered in the order in which they come leave in that order, none lost and none twice; there is room for two.
module check (
    input clk,
    input enter,
    input used
);
  reg started = 0;
  reg [3:0] came = 0, went = 0;
  wire there, room;
  wire [3:0] first;
  (* hierconn *) wire \dut.word_later ;
  (* hierconn *) wire [3:0] \dut.word_behind ;
  pairs dut (
      .clk(clk), .rst(!started), .enter(enter), .data(came), .used(used), .there(there), .first(first), .room(room)
  );

  always @* begin
    assume (started || !(enter || used));
    assume (!enter || room);
    if (started) begin
      assert (came == went + there + \dut.word_later );
      assert (! \dut.word_later || there && \dut.word_behind == went + 4'd1);
      assert (!there || first == went);
      assert (room == (! \dut.word_later ));
    end
  end

  always @(posedge clk) begin
    started <= 1;
    if (enter) came <= came + 1;
    if (there && used) went <= went + 1;
  end
endmodule
