// The rows of a line buffer, counted apart from the component, and written down: no row that the reader has or waits for
// is overwritten; a tile that it may read holds the rows that it wants; none is lost; both go round in order.
module check (
    input clk,
    input reserve,
    input last_word,
    input retire,
    input last,
    input [{{left_bits}}-1:0] left
);
  localparam ROWS = {{rows}}, UNIT = {{unit}}, WINDOW = {{window}}, STEP = {{step}};

  reg started = 0, commit = 0;
  wire free, granted, full;
  wire [{{base_bits}}-1:0] write_base, read_base;
  ring dut (
      .clk(clk), .rst(!started), .reserve(reserve), .commit(commit), .retire(retire), .last(last), .left0(left),
      .free(free), .granted(granted), .full(full), .write_base(write_base), .read_base(read_base)
  );

  // Rows passed on at each station so far, modulo 16; the component's own counts, to carry the induction.
  reg [3:0] reserved = 0, committed = 0, retired = 0;
  reg [{{row_bits}}-1:0] writing = 0, reading = 0;
  wire [3:0] in_use = reserved - retired, unwritten = reserved - committed, unread = committed - retired;
  wire [3:0] rows_left = left / UNIT, need = rows_left < WINDOW ? rows_left : WINDOW, freed = last ? need : STEP;
  (* hierconn *) wire [{{word_bits}}-1:0] \dut.free_words , \dut.full_words ;
  (* hierconn *) wire [{{row_bits}}-1:0] \dut.granted_rows ;

  // What each row of the memory holds: the number of the row written last, modulo 16.
  reg [3:0] held [0:ROWS-1];

  function [{{row_bits}}-1:0] after(input [{{row_bits}}-1:0] row, input [3:0] steps);
    after = row + steps >= ROWS ? row + steps - ROWS : row + steps;
  endfunction

  integer row;
  always @* begin
    assume (started || !(reserve || last_word || retire));
    assume (!reserve || free);
    assume (!last_word || granted);
    assume (!retire || full);
    assume (left % UNIT == 0 && left >= UNIT && left <= {{most}});
    assume (last || need >= STEP);
    if (started) begin
      assert (in_use <= ROWS && unwritten <= in_use && unread <= in_use - unwritten);
      assert (unwritten >= commit + last_word);
      assert (free == (in_use != ROWS) && full == (unread >= need));
      assert (write_base == writing * UNIT && read_base == reading * UNIT);
      assert (writing < ROWS && reading < ROWS && after(reading, unread) == writing);
      assert (\dut.free_words == (ROWS - in_use) * UNIT && \dut.full_words == unread * UNIT);
      assert (\dut.granted_rows == unwritten);
      for (row = 0; row < ROWS; row = row + 1)
        if (row < unread) begin
          assert (held[after(reading, row)] == retired + row[3:0]);
        end
    end
  end

  always @(posedge clk) begin
    started <= 1;
    commit <= last_word;
    reserved <= reserved + reserve;
    committed <= committed + commit;
    retired <= retired + (retire ? freed : 0);
    if (commit) begin
      held[write_base / UNIT] <= committed;
      writing <= after(writing, 1);
    end
    if (retire) reading <= after(reading, freed);
  end
endmodule
