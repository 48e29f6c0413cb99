// Words are numbered as they enter a queue of two parts with two rows of COLUMNS columns behind it. A step gets its own
// number, and those of as many and of twice as many steps before, whatever the pauses on both sides. To carry the
// induction: the full parts hold the numbers that come next, and each row those that came last in its columns.
module check (
    input clk,
    input reserve,
    input last,
    input retire
);
  localparam LATENCY = {{latency}}, BITS = 4, COLUMNS = {{columns}}, NUMBERS = 4 * COLUMNS;

  reg started = 0, commit = 0;
  // Words on their way, modulo NUMBERS, which is as long as four rows.
  reg [BITS-1:0] written = 0, taken = 0, read = 0;
  reg [BITS-1:0] gone = 0;  // of those read, no more than two rows
  reg [1:0] column = 0;
  reg [LATENCY-1:0] due = 0;
  wire free, granted, full;
  wire [BITS-1:0] word, before, first;
  numbers_buffer dut (
      .clk(clk), .rst(!started), .w_valid(commit), .w_address(1'b0), .w_data(written), .r_step(retire),
      .r_address(1'b0), .r_column(column), .r_data({first, before, word}), .reserve(reserve), .commit(commit),
      .retire(retire), .free(free), .granted(granted), .full(full)
  );

  (* hierconn *) wire [1:0] \dut.owner.free_parts , \dut.owner.granted_parts , \dut.owner.full_parts ;
  (* hierconn *) wire \dut.owner.write_base , \dut.owner.read_base ;
  (* hierconn *) wire [BITS-1:0] \dut.bank.words[0] , \dut.bank.words[1] ;
{{words_of_rows}}
  wire [BITS-1:0] near [0:COLUMNS-1], far [0:COLUMNS-1];
{{rows}}
  function [BITS-1:0] back(input [BITS-1:0] number, input [BITS-1:0] steps);
    back = number >= steps ? number - steps : number + NUMBERS - steps;
  endfunction

  function [BITS-1:0] on(input [BITS-1:0] number);
    on = number == NUMBERS - 1 ? 0 : number + 1;
  endfunction

  wire [BITS-1:0] left = back(taken, read), held = back(written, taken);
  wire [BITS-1:0] next = taken[0] ? \dut.bank.words[1] : \dut.bank.words[0] ;
  wire [BITS-1:0] second = taken[0] ? \dut.bank.words[0] : \dut.bank.words[1] ;

  integer i;
  always @* begin
    assume (started || !(reserve || last || retire));
    assume (!reserve || free);
    assume (!last || granted);
    assume (!retire || full);
    assert (!due[LATENCY-1] || word == read);
    assert (!due[LATENCY-1] || gone < COLUMNS || before == back(read, COLUMNS));
    assert (!due[LATENCY-1] || gone < 2 * COLUMNS || first == back(read, 2 * COLUMNS));
    if (started) begin
      assert (written < NUMBERS && taken < NUMBERS && read < NUMBERS && gone <= 2 * COLUMNS);
      assert (left == due[0] + due[1] + due[2] && held == \dut.owner.full_parts );
      assert (\dut.owner.free_parts + \dut.owner.granted_parts + \dut.owner.full_parts == 2);
      assert (\dut.owner.granted_parts >= commit + last);
      assert (\dut.owner.write_base == written[0] && \dut.owner.read_base == taken[0]);
      assert (held == 0 || next == taken);
      assert (held != 2 || second == on(taken));
      assert (column == taken % COLUMNS);
      for (i = 1; i <= COLUMNS; i = i + 1) begin
        assert (gone < i || near[back(read, i) % COLUMNS] == back(read, i));
        assert (gone < COLUMNS + i || far[back(read, i) % COLUMNS] == back(read, COLUMNS + i));
      end
    end
  end

  always @(posedge clk) begin
    started <= 1;
    commit <= last;
    due <= {due, retire};
    if (commit) written <= on(written);
    if (retire) begin
      taken <= on(taken);
      column <= column == COLUMNS - 1 ? 0 : column + 1;
    end
    if (due[LATENCY-1]) begin
      read <= on(read);
      if (gone < 2 * COLUMNS) gone <= gone + 1;
    end
  end
endmodule
