// output_accelerator: 4 PEs
//
// Schedule:
//   output.update().split(x, xo, xi, 8)
//   output.update().split(y, yo, yi, 8)
//   output.update().reorder(xi, yi, xo, yo)
//   output.update().unroll(xi, 4)
//   output.update().systolic(xi)
//   output.bound(x, 0, 16)
//   output.bound(y, 0, 16)
//   output.bound(k, 0, 64)
//   input.in_().compute_at(output, xo)
//   w.in_().compute_at(output, xo)
//   output.accelerate([input, w])

// A whole accelerator.
//
// A `start` is taken when idle; the processes then run by themselves, meeting only in buffers. Reset at any time leaves
// it idle; contents of memories are not cleared and not needed. An abort ends in the same reset of everything but
// `control`, which says when.
module output_accelerator (
  // Control. All ports are synchronous to the rising edge of `clk`. `rst` is synchronous and active high; it needs one
  // cycle, and the other side of every port must be reset with it, so that no answer to an earlier request comes later.
  // `start` is taken in a cycle in which `idle` is high; `done` rises after the last word has been accepted and stays
  // until the next `start`. `abort` ends a run early: ports keep what they offer until it is accepted, take the answers
  // that they wait for, and then `idle` rises without `done`.
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  input  wire        abort,
  output wire        done,
  output wire        idle,

  // input, read: 1200 words of 16 bits, signed, in word addresses: dense, dimension 0 fastest.
  //
  // A request is taken where valid and ready are high, and waits unchanged for ready. Each has one answer, in order, in
  // the next cycle or any later; any number may be under way. Answers are taken where valid and ready are high. Words
  // that are not asked for may be anything.
  output wire        input_req_valid,
  input  wire        input_req_ready,
  output wire [10:0] input_req_addr,
  input  wire        input_resp_valid,
  output wire        input_resp_ready,
  input  wire [15:0] input_resp_data,

  // w, read: 4800 words of 16 bits, signed, in word addresses: dense, dimension 0 fastest.
  //
  // A request is taken where valid and ready are high, and waits unchanged for ready. Each has one answer, in order, in
  // the next cycle or any later; any number may be under way. Answers are taken where valid and ready are high. Words
  // that are not asked for may be anything.
  output wire        w_req_valid,
  input  wire        w_req_ready,
  output wire [12:0] w_req_addr,
  input  wire        w_resp_valid,
  output wire        w_resp_ready,
  input  wire [15:0] w_resp_data,

  // output, written: 16384 words of 32 bits, signed, in word addresses: dense, dimension 0 fastest.
  //
  // A word is stored where valid and ready are high, and waits unchanged for ready.
  output wire        output_valid,
  input  wire        output_ready,
  output wire [14:0] output_addr,
  output wire [31:0] output_data,

  // Counters, since the last `start`. `cycles`: cycles from start to done; `steps`: array steps issued; `input_words`:
  // words read from input; `w_words`: words read from w; `output_words`: words written to output.
  output reg  [47:0] cycles = 48'd0,
  output reg  [47:0] steps = 48'd0,
  output reg  [47:0] input_words = 48'd0,
  output reg  [47:0] w_words = 48'd0,
  output reg  [47:0] output_words = 48'd0
);
  reg acc_at = 1'd0;
  wire control_go, control_running, control_reset, input_in_free, input_in_granted, input_in_full, w_in_free,
      w_in_granted, w_in_full, input_in_load_req_valid, input_in_load_resp_ready, input_in_load_w_valid,
      input_in_load_reserve, input_in_load_commit, w_in_load_req_valid, w_in_load_resp_ready, w_in_load_w_valid,
      w_in_load_reserve, w_in_load_commit, sequencer_step, sequencer_reserve, sequencer_commit, sequencer_first,
      sequencer_input_in_fresh, sequencer_acc_address, sequencer_input_in_retire, sequencer_w_in_retire,
      acc_valid_late5, acc_first_late5, acc_address_late4, tiles_free, tiles_full, tiles_write_base, tiles_read_base,
      writer_retire, writer_idle, writer_drain_address, writer_valid;
  wire [63:0] input_in_r_data;
  wire [15:0] w_in_r_data, input_in_load_w_data, w_in_load_w_data, read1_late2;
  wire [6:0] input_in_load_w_address, w_in_load_w_address, sequencer_input_in_address, sequencer_w_in_address;
  wire [1:0] input_in_load_w_digit0, writer_drain_xi_lane;
  wire [3:0] sequencer_input_in_place0;
  wire [31:0] array_drain_data;
  wire clear = rst | control_reset;

  output_control control (
    .clk(clk),
    .rst(rst),
    .start(start),
    .abort(abort),
    .finished(writer_idle),
    .go(control_go),
    .running(control_running),
    .idle(idle),
    .done(done),
    .reset(control_reset),
    .input_req_offer(input_in_load_req_valid),
    .input_req_ready(input_req_ready),
    .input_req_valid(input_req_valid),
    .w_req_offer(w_in_load_req_valid),
    .w_req_ready(w_req_ready),
    .w_req_valid(w_req_valid),
    .output_offer(writer_valid),
    .output_ready(output_ready),
    .output_valid(output_valid),
    .input_take(input_in_load_resp_ready),
    .input_resp_valid(input_resp_valid),
    .input_resp_ready(input_resp_ready),
    .w_take(w_in_load_resp_ready),
    .w_resp_valid(w_resp_valid),
    .w_resp_ready(w_resp_ready)
  );

  output_input_in_buffer input_in (
    .clk(clk),
    .rst(clear),
    .w_valid(input_in_load_w_valid),
    .w_address(input_in_load_w_address),
    .w_data(input_in_load_w_data),
    .w_digit0(input_in_load_w_digit0),
    .r_step(sequencer_step),
    .r_address(sequencer_input_in_address),
    .r_data(input_in_r_data),
    .r_fresh(sequencer_input_in_fresh),
    .r_place0(sequencer_input_in_place0),
    .reserve(input_in_load_reserve),
    .commit(input_in_load_commit),
    .retire(sequencer_input_in_retire),
    .free(input_in_free),
    .granted(input_in_granted),
    .full(input_in_full)
  );

  output_w_in_buffer w_in (
    .clk(clk),
    .rst(clear),
    .w_valid(w_in_load_w_valid),
    .w_address(w_in_load_w_address),
    .w_data(w_in_load_w_data),
    .r_step(sequencer_step),
    .r_address(sequencer_w_in_address),
    .r_data(w_in_r_data),
    .reserve(w_in_load_reserve),
    .commit(w_in_load_commit),
    .retire(sequencer_w_in_retire),
    .free(w_in_free),
    .granted(w_in_granted),
    .full(w_in_full)
  );

  output_input_in_load input_in_load (
    .clk(clk),
    .rst(clear),
    .start(control_go),
    .req_valid(input_in_load_req_valid),
    .req_ready(input_req_ready),
    .req_addr(input_req_addr),
    .resp_valid(input_resp_valid),
    .resp_ready(input_in_load_resp_ready),
    .resp_data(input_resp_data),
    .w_valid(input_in_load_w_valid),
    .w_data(input_in_load_w_data),
    .w_address(input_in_load_w_address),
    .w_digit0(input_in_load_w_digit0),
    .free(input_in_free),
    .granted(input_in_granted),
    .reserve(input_in_load_reserve),
    .commit(input_in_load_commit)
  );

  output_w_in_load w_in_load (
    .clk(clk),
    .rst(clear),
    .start(control_go),
    .req_valid(w_in_load_req_valid),
    .req_ready(w_req_ready),
    .req_addr(w_req_addr),
    .resp_valid(w_resp_valid),
    .resp_ready(w_in_load_resp_ready),
    .resp_data(w_resp_data),
    .w_valid(w_in_load_w_valid),
    .w_data(w_in_load_w_data),
    .w_address(w_in_load_w_address),
    .free(w_in_free),
    .granted(w_in_granted),
    .reserve(w_in_load_reserve),
    .commit(w_in_load_commit)
  );

  output_sequencer sequencer (
    .clk(clk),
    .rst(clear),
    .start(control_go),
    .step(sequencer_step),
    .free(tiles_free),
    .reserve(sequencer_reserve),
    .commit(sequencer_commit),
    .first(sequencer_first),
    .input_in_fresh(sequencer_input_in_fresh),
    .acc_address(sequencer_acc_address),
    .input_in_address(sequencer_input_in_address),
    .input_in_place0(sequencer_input_in_place0),
    .w_in_address(sequencer_w_in_address),
    .input_in_full(input_in_full),
    .input_in_retire(sequencer_input_in_retire),
    .w_in_full(w_in_full),
    .w_in_retire(sequencer_w_in_retire)
  );

  output_delay #(.WIDTH(16), .DEPTH(2)) read1_delay2 (
    .clk(clk),
    .d(w_in_r_data),
    .q(read1_late2)
  );

  output_delay_reset #(.WIDTH(1), .DEPTH(5)) acc_valid_delay5 (
    .clk(clk),
    .d(sequencer_step),
    .rst(clear),
    .q(acc_valid_late5)
  );

  output_delay #(.WIDTH(1), .DEPTH(5)) acc_first_delay5 (
    .clk(clk),
    .d(sequencer_first),
    .q(acc_first_late5)
  );

  output_delay #(.WIDTH(1), .DEPTH(4)) acc_address_delay4 (
    .clk(clk),
    .d(acc_at),
    .q(acc_address_late4)
  );

  output_xi_lanes array (
    .clk(clk),
    .rst(clear),
    .read0(input_in_r_data),
    .read1(read1_late2),
    .acc_valid(acc_valid_late5),
    .acc_first(acc_first_late5),
    .acc_address(acc_address_late4),
    .drain_address(writer_drain_address),
    .drain_data(array_drain_data),
    .drain_xi_lane(writer_drain_xi_lane)
  );

  output_ping_pong_3 tiles (
    .clk(clk),
    .rst(clear),
    .reserve(sequencer_reserve),
    .commit(sequencer_commit),
    .retire(writer_retire),
    .free(tiles_free),
    .full(tiles_full),
    .write_base(tiles_write_base),
    .read_base(tiles_read_base)
  );

  output_writer writer (
    .clk(clk),
    .rst(clear),
    .start(control_go),
    .tile_full(tiles_full),
    .retire(writer_retire),
    .idle(writer_idle),
    .base(tiles_read_base),
    .drain_address(writer_drain_address),
    .drain_xi_lane(writer_drain_xi_lane),
    .drain_data(array_drain_data),
    .valid(writer_valid),
    .ready(output_ready),
    .addr(output_addr),
    .data(output_data)
  );

  always @(posedge clk) begin
    if (control_go) begin
      cycles <= 48'd0;
      steps <= 48'd0;
      input_words <= 48'd0;
      w_words <= 48'd0;
      output_words <= 48'd0;
    end else begin
      cycles <= cycles + {47'd0, control_running};
      steps[18:0] <= steps[18:0] + {18'd0, sequencer_step};
      input_words[16:0] <= input_words[16:0] + {16'd0, input_req_valid & input_req_ready};
      w_words[12:0] <= w_words[12:0] + {12'd0, w_req_valid & w_req_ready};
      output_words[14:0] <= output_words[14:0] + {14'd0, output_valid & output_ready};
    end
    if (clear) begin
      cycles <= 48'd0;
      steps <= 48'd0;
      input_words <= 48'd0;
      w_words <= 48'd0;
      output_words <= 48'd0;
    end
  end

  always @(posedge clk) acc_at <= sequencer_acc_address + tiles_write_base;
endmodule

// Drains tiles in the order of its walk, applies the final stage, and stores the words.
//
// Steps when a tile is complete, its operands are there, and every sink has a place for the word: of a port, the queue
// behind the pipeline, with ready/valid on the port; of another stage's memory, at the start of a part, a free one. A
// word lands there `Write.latency` cycles after its step. `idle` when all steps of the run are done, and the port has
// accepted all words. `stored` with the last word of a tile that may come back; `closes` with each request, accepted or
// not, that has it. Where sums leave by pieces, `tile_full` says that a piece is complete, and `passed` comes with its
// last step. Reset: idle.
module output_writer (
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  input  wire        tile_full,
  output wire        retire,
  output wire        idle,
  input  wire        base,
  output reg         drain_address = 1'd0,
  output reg  [1:0]  drain_xi_lane = 2'd0,
  input  wire [31:0] drain_data,
  output wire        valid,
  input  wire        ready,
  output wire [14:0] addr,
  output wire [31:0] data
);
  reg [3:0] words_pending = 4'd0;
  wire walk_valid, walk_word, walk_closes, arrival_late5;
  wire [13:0] walk_address;
  wire [1:0] walk_drain_xi_lane;
  wire [14:0] address_late5;
  wire [46:0] r_data;
  wire walk_advance = walk_valid & tile_full & (words_pending != 4'd9);
  wire r_en = ready & valid;
  assign idle = ~walk_valid & (words_pending == 4'd0);
  assign retire = walk_advance & walk_closes;
  assign addr = r_data[14:0];
  assign data = r_data[46:15];

  output_writer_walk walk (
    .clk(clk),
    .rst(rst),
    .start(start),
    .advance(walk_advance),
    .valid(walk_valid),
    .address(walk_address),
    .word(walk_word),
    .drain_xi_lane(walk_drain_xi_lane),
    .closes(walk_closes)
  );

  output_delay #(.WIDTH(15), .DEPTH(5)) address_delay5 (
    .clk(clk),
    .d({1'd0, walk_address}),
    .q(address_late5)
  );

  output_writer_queue queue (
    .clk(clk),
    .rst(rst),
    .w_data({drain_data, address_late5}),
    .w_en(arrival_late5),
    .r_en(r_en),
    .r_data(r_data),
    .r_rdy(valid)
  );

  output_delay_reset #(.WIDTH(1), .DEPTH(5)) arrival_delay5 (
    .clk(clk),
    .d(walk_advance),
    .rst(rst),
    .q(arrival_late5)
  );

  always @(posedge clk) begin
    words_pending <= (words_pending + {3'd0, walk_advance}) - {3'd0, valid & ready};
    drain_address <= base + walk_word;
    drain_xi_lane <= walk_drain_xi_lane;
    if (rst) begin
      words_pending <= 4'd0;
      drain_address <= 1'd0;
      drain_xi_lane <= 2'd0;
    end
  end
endmodule

module output_writer_queue (
  input  wire        clk,
  input  wire        rst,
  input  wire [46:0] w_data,
  input  wire        w_en,
  input  wire        r_en,
  output wire [46:0] r_data,
  output reg         r_rdy = 1'd0
);
  reg [2:0] produce = 3'd0, consume = 3'd0;
  reg [3:0] inner_level = 4'd0;
  reg [46:0] r_port__data = 47'd0;
  reg [46:0] storage [0:7];
  wire w_rdy = inner_level != 4'd8;
  wire w_port__en = w_rdy & w_en;
  wire inner_r_rdy = inner_level != 4'd0;
  wire r_port__en = inner_r_rdy & (~r_rdy | r_en);
  assign r_data = r_port__data;

  always @(posedge clk) begin
    if (w_port__en) produce <= produce + 3'd1;
    if (r_port__en) consume <= consume + 3'd1;
    if (w_port__en & ~r_port__en) inner_level <= inner_level + 4'd1;
    if (r_port__en & ~w_port__en) inner_level <= inner_level - 4'd1;
    if (r_port__en) r_rdy <= 1'd1;
    else if (r_en) r_rdy <= 1'd0;
    if (rst) begin
      produce <= 3'd0;
      consume <= 3'd0;
      inner_level <= 4'd0;
      r_rdy <= 1'd0;
    end
  end

  always @(posedge clk) begin
    if (w_port__en) storage[produce] <= w_data;
    if (r_port__en) r_port__data <= storage[consume];
  end
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
//
// After `start` the first iteration is on the outputs; after the last, `valid` falls. All outputs come from registers
// (flags through one gate). Addresses are made by adding strides: for every loop that an address depends on, one
// register holds its value with the inner loops at their start. Reset: idle.
module output_writer_walk (
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  input  wire        advance,
  output reg         valid = 1'd0,
  output wire [13:0] address,
  output wire        word,
  output wire [1:0]  drain_xi_lane,
  output wire        closes
);
  reg [5:0] k_count = 6'd0;
  reg k_last = 1'd0, yo_count = 1'd0, yo_last = 1'd0, xo_count = 1'd0, xo_last = 1'd0, yi_last = 1'd0, xi_count = 1'd0,
      xi_last = 1'd0, xi_lane_last = 1'd0;
  reg [2:0] yi_count = 3'd0;
  reg [1:0] xi_lane_count = 2'd0, drain_xi_lane_at_xi_lane = 2'd0;
  reg [13:0] address_at_k = 14'd0, address_at_yo = 14'd0, address_at_xo = 14'd0, address_at_yi = 14'd0, address_at_xi =
      14'd0, address_at_xi_lane = 14'd0;
  wire xi_lane_more = ~xi_lane_last;
  wire xi_more = ~xi_last;
  wire yi_more = ~yi_last;
  wire xo_more = ~xo_last;
  wire yo_more = ~yo_last;
  wire k_more = ~k_last;
  wire [13:0] address_at_xi_lane_next = address_at_xi_lane + 14'd1;
  wire [1:0] drain_xi_lane_at_xi_lane_next = drain_xi_lane_at_xi_lane + 2'd1;
  wire [13:0] address_at_xi_next = address_at_xi + 14'd4;
  wire [13:0] address_at_yi_next = address_at_yi + 14'd16;
  wire [13:0] address_at_xo_next = address_at_xo + 14'd8;
  wire [13:0] address_at_yo_next = address_at_yo + 14'd128;
  wire [13:0] address_at_k_next = address_at_k + 14'd256;
  assign address = address_at_xi_lane;
  assign word = 1'd0;
  assign drain_xi_lane = drain_xi_lane_at_xi_lane;
  assign closes = xi_lane_last;

  always @(posedge clk) begin
    if (start) begin
      valid <= 1'd1;
      k_count <= 6'd0;
      k_last <= 1'd0;
      yo_count <= 1'd0;
      yo_last <= 1'd0;
      xo_count <= 1'd0;
      xo_last <= 1'd0;
      yi_count <= 3'd0;
      yi_last <= 1'd0;
      xi_count <= 1'd0;
      xi_last <= 1'd0;
      xi_lane_count <= 2'd0;
      xi_lane_last <= 1'd0;
      address_at_k <= 14'd0;
      address_at_yo <= 14'd0;
      address_at_xo <= 14'd0;
      address_at_yi <= 14'd0;
      address_at_xi <= 14'd0;
      address_at_xi_lane <= 14'd0;
      drain_xi_lane_at_xi_lane <= 2'd0;
    end else if (advance) begin
      if (xi_lane_more) begin
        xi_lane_count <= xi_lane_count + 2'd1;
        xi_lane_last <= xi_lane_count == 2'd2;
        address_at_xi_lane <= address_at_xi_lane_next;
        drain_xi_lane_at_xi_lane <= drain_xi_lane_at_xi_lane_next;
      end else if (xi_more) begin
        xi_count <= xi_count + 1'd1;
        xi_last <= ~xi_count;
        xi_lane_count <= 2'd0;
        xi_lane_last <= 1'd0;
        address_at_xi <= address_at_xi_next;
        address_at_xi_lane <= address_at_xi_next;
        drain_xi_lane_at_xi_lane <= 2'd0;
      end else if (yi_more) begin
        yi_count <= yi_count + 3'd1;
        yi_last <= yi_count == 3'd6;
        xi_count <= 1'd0;
        xi_last <= 1'd0;
        xi_lane_count <= 2'd0;
        xi_lane_last <= 1'd0;
        address_at_yi <= address_at_yi_next;
        address_at_xi <= address_at_yi_next;
        address_at_xi_lane <= address_at_yi_next;
        drain_xi_lane_at_xi_lane <= 2'd0;
      end else if (xo_more) begin
        xo_count <= xo_count + 1'd1;
        xo_last <= ~xo_count;
        yi_count <= 3'd0;
        yi_last <= 1'd0;
        xi_count <= 1'd0;
        xi_last <= 1'd0;
        xi_lane_count <= 2'd0;
        xi_lane_last <= 1'd0;
        address_at_xo <= address_at_xo_next;
        address_at_yi <= address_at_xo_next;
        address_at_xi <= address_at_xo_next;
        address_at_xi_lane <= address_at_xo_next;
        drain_xi_lane_at_xi_lane <= 2'd0;
      end else if (yo_more) begin
        yo_count <= yo_count + 1'd1;
        yo_last <= ~yo_count;
        xo_count <= 1'd0;
        xo_last <= 1'd0;
        yi_count <= 3'd0;
        yi_last <= 1'd0;
        xi_count <= 1'd0;
        xi_last <= 1'd0;
        xi_lane_count <= 2'd0;
        xi_lane_last <= 1'd0;
        address_at_yo <= address_at_yo_next;
        address_at_xo <= address_at_yo_next;
        address_at_yi <= address_at_yo_next;
        address_at_xi <= address_at_yo_next;
        address_at_xi_lane <= address_at_yo_next;
        drain_xi_lane_at_xi_lane <= 2'd0;
      end else if (k_more) begin
        k_count <= k_count + 6'd1;
        k_last <= k_count == 6'd62;
        yo_count <= 1'd0;
        yo_last <= 1'd0;
        xo_count <= 1'd0;
        xo_last <= 1'd0;
        yi_count <= 3'd0;
        yi_last <= 1'd0;
        xi_count <= 1'd0;
        xi_last <= 1'd0;
        xi_lane_count <= 2'd0;
        xi_lane_last <= 1'd0;
        address_at_k <= address_at_k_next;
        address_at_yo <= address_at_k_next;
        address_at_xo <= address_at_k_next;
        address_at_yi <= address_at_k_next;
        address_at_xi <= address_at_k_next;
        address_at_xi_lane <= address_at_k_next;
        drain_xi_lane_at_xi_lane <= 2'd0;
      end else begin
        valid <= 1'd0;
      end
    end
    if (rst) begin
      valid <= 1'd0;
      k_count <= 6'd0;
      k_last <= 1'd0;
      yo_count <= 1'd0;
      yo_last <= 1'd0;
      xo_count <= 1'd0;
      xo_last <= 1'd0;
      yi_count <= 3'd0;
      yi_last <= 1'd0;
      xi_count <= 1'd0;
      xi_last <= 1'd0;
      xi_lane_count <= 2'd0;
      xi_lane_last <= 1'd0;
      address_at_k <= 14'd0;
      address_at_yo <= 14'd0;
      address_at_xo <= 14'd0;
      address_at_yi <= 14'd0;
      address_at_xi <= 14'd0;
      address_at_xi_lane <= 14'd0;
      drain_xi_lane_at_xi_lane <= 2'd0;
    end
  end
endmodule

// Passes the parts of a buffer from its writer to its reader and back, in order.
//
// The writer pulses `reserve` with the first step of a tile, only while `free`, and `commit` with the tile's last word,
// only while `granted`; the reader pulses `retire` with the last step of a tile, only while `full`. `granted` falls
// with the commit of the last part granted; else the flags follow a pulse one cycle (and the spec's lag) later.
// `write_base` and `read_base` are the parts' first words; they move on one cycle after commit and retire. Parts free,
// granted, full and lagging are all the parts there are, at all times. Reset: all parts free.
module output_ping_pong_3 (
  input  wire clk,
  input  wire rst,
  input  wire reserve,
  input  wire commit,
  input  wire retire,
  output wire free,
  output wire full,
  output reg  write_base = 1'd0,
  output reg  read_base = 1'd0
);
  reg [1:0] free_parts = 2'd2, full_parts = 2'd0;
  wire filled_late13, emptied_late4;
  assign free = free_parts != 2'd0;
  assign full = full_parts != 2'd0;

  output_delay_reset #(.WIDTH(1), .DEPTH(13)) filled_delay13 (
    .clk(clk),
    .d(commit),
    .rst(rst),
    .q(filled_late13)
  );

  output_delay_reset #(.WIDTH(1), .DEPTH(4)) emptied_delay4 (
    .clk(clk),
    .d(retire),
    .rst(rst),
    .q(emptied_late4)
  );

  always @(posedge clk) begin
    if (emptied_late4 & ~reserve) free_parts <= free_parts + 2'd1;
    else if (reserve & ~emptied_late4) free_parts <= free_parts - 2'd1;
    if (filled_late13 & ~retire) full_parts <= full_parts + 2'd1;
    else if (retire & ~filled_late13) full_parts <= full_parts - 2'd1;
    if (commit) begin
      if (write_base) write_base <= 1'd0;
      else write_base <= write_base + 1'd1;
    end
    if (retire) begin
      if (read_base) read_base <= 1'd0;
      else read_base <= read_base + 1'd1;
    end
    if (rst) begin
      free_parts <= 2'd2;
      full_parts <= 2'd0;
      write_base <= 1'd0;
      read_base <= 1'd0;
    end
  end
endmodule

// The lanes of one output axis.
//
// Drain: address and selects pass down through a register, data come up through another; the lane (or group of lanes)
// selected is on `drain_data` after the spec's drain latency.
module output_xi_lanes (
  input  wire        clk,
  input  wire        rst,
  input  wire [63:0] read0,
  input  wire [15:0] read1,
  input  wire        acc_valid,
  input  wire        acc_first,
  input  wire        acc_address,
  input  wire        drain_address,
  output wire [31:0] drain_data,
  input  wire [1:0]  drain_xi_lane
);
  reg drain_address1 = 1'd0;
  reg [1:0] drain_xi_lane1 = 2'd0;
  reg [31:0] drain_data1 = 32'd0;
  wire [18:0] hop1_late1, hop2_late1, hop3_late1;
  wire [15:0] read0_skew1_late1, read0_skew2_late2, read0_skew3_late3;
  wire [31:0] lane0_drain_data, lane1_drain_data, lane2_drain_data, lane3_drain_data;
  wire [1:0] drain_xi_lane_late2;
  reg [31:0] drain_data1_part;
  always @*
    case (drain_xi_lane_late2)
      2'b00: drain_data1_part = lane0_drain_data;
      2'b01: drain_data1_part = lane1_drain_data;
      2'b10: drain_data1_part = lane2_drain_data;
      default: drain_data1_part = lane3_drain_data;
    endcase
  assign drain_data = drain_data1;

  output_delay #(.WIDTH(19), .DEPTH(1)) hop1_delay1 (
    .clk(clk),
    .d({acc_address, acc_first, acc_valid, read1}),
    .q(hop1_late1)
  );

  output_delay #(.WIDTH(19), .DEPTH(1)) hop2_delay1 (
    .clk(clk),
    .d(hop1_late1),
    .q(hop2_late1)
  );

  output_delay #(.WIDTH(19), .DEPTH(1)) hop3_delay1 (
    .clk(clk),
    .d(hop2_late1),
    .q(hop3_late1)
  );

  output_delay #(.WIDTH(16), .DEPTH(1)) read0_skew1_delay1 (
    .clk(clk),
    .d(read0[31:16]),
    .q(read0_skew1_late1)
  );

  output_delay #(.WIDTH(16), .DEPTH(2)) read0_skew2_delay2 (
    .clk(clk),
    .d(read0[47:32]),
    .q(read0_skew2_late2)
  );

  output_delay #(.WIDTH(16), .DEPTH(3)) read0_skew3_delay3 (
    .clk(clk),
    .d(read0[63:48]),
    .q(read0_skew3_late3)
  );

  output_output_lane lane0 (
    .clk(clk),
    .rst(rst),
    .read0(read0[15:0]),
    .read1(read1),
    .acc_valid(acc_valid),
    .acc_first(acc_first),
    .acc_address(acc_address),
    .drain_address(drain_address1),
    .drain_data(lane0_drain_data)
  );

  output_output_lane lane1 (
    .clk(clk),
    .rst(rst),
    .read0(read0_skew1_late1),
    .read1(hop1_late1[15:0]),
    .acc_valid(hop1_late1[16]),
    .acc_first(hop1_late1[17]),
    .acc_address(hop1_late1[18]),
    .drain_address(drain_address1),
    .drain_data(lane1_drain_data)
  );

  output_output_lane lane2 (
    .clk(clk),
    .rst(rst),
    .read0(read0_skew2_late2),
    .read1(hop2_late1[15:0]),
    .acc_valid(hop2_late1[16]),
    .acc_first(hop2_late1[17]),
    .acc_address(hop2_late1[18]),
    .drain_address(drain_address1),
    .drain_data(lane2_drain_data)
  );

  output_output_lane lane3 (
    .clk(clk),
    .rst(rst),
    .read0(read0_skew3_late3),
    .read1(hop3_late1[15:0]),
    .acc_valid(hop3_late1[16]),
    .acc_first(hop3_late1[17]),
    .acc_address(hop3_late1[18]),
    .drain_address(drain_address1),
    .drain_data(lane3_drain_data)
  );

  output_delay #(.WIDTH(2), .DEPTH(2)) drain_xi_lane_delay2 (
    .clk(clk),
    .d(drain_xi_lane1),
    .q(drain_xi_lane_late2)
  );

  always @(posedge clk) begin
    drain_address1 <= drain_address;
    drain_xi_lane1 <= drain_xi_lane;
    if (rst) begin
      drain_address1 <= 1'd0;
      drain_xi_lane1 <= 2'd0;
    end
  end

  always @(posedge clk) drain_data1 <= drain_data1_part;
endmodule

// One output lane: its reduction network and its accumulator.
//
// Without a network it is a bank of a memory of sums. The wires `acc_valid`, `acc_first` and `acc_address` enter with
// the operands and are delayed to the product. Those of level n in the lane, `acc_n_valid` and so on, enter with
// `acc_n_from`, the address in the level before it.
module output_output_lane (
  input  wire        clk,
  input  wire        rst,
  input  wire [15:0] read0,
  input  wire [15:0] read1,
  input  wire        acc_valid,
  input  wire        acc_first,
  input  wire        acc_address,
  input  wire        drain_address,
  output wire [31:0] drain_data
);
  wire [31:0] product_product, product_late2;

  output_pe product (
    .clk(clk),
    .read0(read0),
    .read1(read1),
    .product(product_product)
  );

  output_accumulator sums (
    .clk(clk),
    .rst(rst),
    .valid(acc_valid),
    .first(acc_first),
    .address(acc_address),
    .value(product_late2),
    .drain_address(drain_address),
    .drain_data(drain_data)
  );

  output_delay #(.WIDTH(32), .DEPTH(2)) product_delay2 (
    .clk(clk),
    .d(product_product),
    .q(product_late2)
  );
endmodule

// A memory of partial sums with a read-modify-write every cycle.
//
// `valid`, `first` and `address` come LEAD cycles ahead of `value`. Stage 0 reads the memory; stage LEAD combines value
// and sum; the stage after stores the new sum. The memory does not yet hold the sums of the steps in stages 1 to LEAD +
// 1, so where words are visited again so `soon`, a step whose address one of them has takes that sum instead, the
// nearest first: invariant: the sum combined is the latest one of its address. `first` starts from the initial value;
// where words are scattered, that of a tile forgets all, and a bit for each word says since whether it was visited.
// Drain: the word at `drain_address` is on `drain_data` RAM_LATENCY cycles later. A state is on `state` a cycle after
// `value`. No back-pressure; reset: idle.
module output_accumulator (
  input  wire        clk,
  input  wire        rst,
  input  wire        valid,
  input  wire        first,
  input  wire        address,
  input  wire [31:0] value,
  input  wire        drain_address,
  output wire [31:0] drain_data
);
  reg valid1 = 1'd0, address1 = 1'd0, valid2 = 1'd0, address2 = 1'd0, valid3 = 1'd0, address3 = 1'd0, valid4 = 1'd0,
      address4 = 1'd0;
  reg signed [31:0] start = 32'd0, total = 32'd0;
  wire [31:0] sums_word;
  wire first_late2, same4_late2, same3_late2, same2_late2, same1_late3;
  wire signed [31:0] total4_late2, total3_late1;

  output_ram #(.WIDTH(32), .DEPTH(2), .ADDRESS(1)) sums (
    .clk(clk),
    .write_enable(valid4),
    .write_address(address4),
    .write_data(total),
    .read_enable(valid),
    .read_address(address),
    .read_data(sums_word)
  );

  output_delay #(.WIDTH(1), .DEPTH(2)) first_delay2 (
    .clk(clk),
    .d(first),
    .q(first_late2)
  );

  output_delay #(.WIDTH(32), .DEPTH(2)) total4_delay2 (
    .clk(clk),
    .d(total),
    .q(total4_late2)
  );

  output_delay #(.WIDTH(1), .DEPTH(2)) same4_delay2 (
    .clk(clk),
    .d(valid4 & (address == address4)),
    .q(same4_late2)
  );

  output_delay #(.WIDTH(32), .DEPTH(1)) total3_delay1 (
    .clk(clk),
    .d(total),
    .q(total3_late1)
  );

  output_delay #(.WIDTH(1), .DEPTH(2)) same3_delay2 (
    .clk(clk),
    .d(valid3 & (address == address3)),
    .q(same3_late2)
  );

  output_delay #(.WIDTH(1), .DEPTH(2)) same2_delay2 (
    .clk(clk),
    .d(valid2 & (address == address2)),
    .q(same2_late2)
  );

  output_delay #(.WIDTH(1), .DEPTH(3)) same1_delay3 (
    .clk(clk),
    .d(valid1 & (address == address1) & ~first),
    .q(same1_late3)
  );

  output_ram #(.WIDTH(32), .DEPTH(2), .ADDRESS(1)) drained (
    .clk(clk),
    .write_enable(valid4),
    .write_address(address4),
    .write_data(total),
    .read_enable(1'd1),
    .read_address(drain_address),
    .read_data(drain_data)
  );

  always @(posedge clk) begin
    valid1 <= valid;
    valid2 <= valid1;
    valid3 <= valid2;
    valid4 <= valid3;
    if (rst) begin
      valid1 <= 1'd0;
      valid2 <= 1'd0;
      valid3 <= 1'd0;
      valid4 <= 1'd0;
    end
  end

  always @(posedge clk) begin
    address1 <= address;
    address2 <= address1;
    address3 <= address2;
    address4 <= address3;
    start <= first_late2 ? 32'd0 : (same2_late2 ? total : (same3_late2 ? total3_late1 : (same4_late2 ? total4_late2 :
        sums_word)));
    total <= (same1_late3 ? total : start) + value;
  end
endmodule

// One multiplier's worth of the array: register files and the expression of one iteration.
//
// Operands arrive with a wave, register file addresses RAM_LATENCY cycles ahead; `product` follows the operands by the
// expression's latency. A fill wave writes the register file where its `valid` reaches this PE; a register file between
// two takes the word that its source was asked for RAM_LATENCY cycles before. Where a mask is low the product is the
// reduction's identity. No handshake, no reset.
module output_pe (
  input  wire        clk,
  input  wire [15:0] read0,
  input  wire [15:0] read1,
  output wire [31:0] product
);
  reg signed [31:0] mul1 = 32'd0;
  assign product = mul1;

  always @(posedge clk) mul1 <= $signed(read0) * $signed(read1);
endmodule

// Issues one step of the array per cycle while every operand's tile is there and, at the start of an output tile, an
// accumulator part is free. Addresses and flags of the step are on the outputs in the cycle of `step`. Where it is
// watched, it shows whether it is under way (`active`), and whether it begins an output tile for which there is no
// accumulator (`crowded`). Where sums leave by pieces, `finished` comes with the last step of one. Reset: idle; starts
// with `start`.
module output_sequencer (
  input  wire       clk,
  input  wire       rst,
  input  wire       start,
  output wire       step,
  input  wire       free,
  output wire       reserve,
  output wire       commit,
  output wire       first,
  output wire       input_in_fresh,
  output wire       acc_address,
  output wire [6:0] input_in_address,
  output wire [3:0] input_in_place0,
  output wire [6:0] w_in_address,
  input  wire       input_in_full,
  output wire       input_in_retire,
  input  wire       w_in_full,
  output wire       w_in_retire
);
  wire walk_valid, walk_closes, walk_input_in_leaves, walk_w_in_leaves, walk_opens;
  assign step = walk_valid & (free | ~walk_opens) & input_in_full & w_in_full;
  assign input_in_retire = step & walk_input_in_leaves;
  assign w_in_retire = step & walk_w_in_leaves;
  assign reserve = step & walk_opens;
  assign commit = step & walk_closes;

  output_array_walk walk (
    .clk(clk),
    .rst(rst),
    .start(start),
    .advance(step),
    .valid(walk_valid),
    .acc_address(acc_address),
    .input_in_address(input_in_address),
    .input_in_place0(input_in_place0),
    .w_in_address(w_in_address),
    .closes(walk_closes),
    .input_in_leaves(walk_input_in_leaves),
    .w_in_leaves(walk_w_in_leaves),
    .opens(walk_opens),
    .first(first),
    .input_in_fresh(input_in_fresh)
  );
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
//
// After `start` the first iteration is on the outputs; after the last, `valid` falls. All outputs come from registers
// (flags through one gate). Addresses are made by adding strides: for every loop that an address depends on, one
// register holds its value with the inner loops at their start. Reset: idle.
module output_array_walk (
  input  wire       clk,
  input  wire       rst,
  input  wire       start,
  input  wire       advance,
  output reg        valid = 1'd0,
  output wire       acc_address,
  output wire [6:0] input_in_address,
  output wire [3:0] input_in_place0,
  output wire [6:0] w_in_address,
  output wire       closes,
  output wire       input_in_leaves,
  output wire       w_in_leaves,
  output wire       opens,
  output wire       first,
  output wire       input_in_fresh
);
  reg [5:0] k_count = 6'd0;
  reg k_last = 1'd0, yo_count = 1'd0, yo_last = 1'd0, xo_count = 1'd0, xo_last = 1'd0, yi_last = 1'd0, xi_count = 1'd0,
      xi_last = 1'd0, r_z_zero = 1'd0, r_z_last = 1'd0, r_y_zero = 1'd0, r_y_last = 1'd0, r_x_zero = 1'd0, r_x_last =
      1'd0;
  reg [2:0] yi_count = 3'd0, r_y_count = 3'd0, r_x_count = 3'd0;
  reg [1:0] r_z_count = 2'd0;
  reg [6:0] input_in_address_at_yi = 7'd0, input_in_address_at_r_z = 7'd0, input_in_address_at_r_y = 7'd0,
      w_in_address_at_r_z = 7'd0, w_in_address_at_r_y = 7'd0, w_in_address_at_r_x = 7'd0;
  reg [3:0] input_in_place0_at_xi = 4'd0, input_in_place0_at_r_x = 4'd0;
  wire r_x_more = ~r_x_last;
  wire r_y_more = ~r_y_last;
  wire r_z_more = ~r_z_last;
  wire xi_more = ~xi_last;
  wire yi_more = ~yi_last;
  wire xo_more = ~xo_last;
  wire yo_more = ~yo_last;
  wire k_more = ~k_last;
  wire [3:0] input_in_place0_at_r_x_next = input_in_place0_at_r_x + 4'd1;
  wire [6:0] w_in_address_at_r_x_next = w_in_address_at_r_x + 7'd1;
  wire [6:0] input_in_address_at_r_y_next = input_in_address_at_r_y + 7'd3;
  wire [6:0] w_in_address_at_r_y_next = w_in_address_at_r_y + 7'd5;
  wire [6:0] input_in_address_at_r_z_next = input_in_address_at_r_z + 7'd36;
  wire [6:0] w_in_address_at_r_z_next = w_in_address_at_r_z + 7'd25;
  wire [3:0] input_in_place0_at_xi_next = input_in_place0_at_xi + 4'd4;
  wire [6:0] input_in_address_at_yi_next = input_in_address_at_yi + 7'd3;
  assign acc_address = 1'd0;
  assign input_in_address = input_in_address_at_r_y;
  assign input_in_place0 = input_in_place0_at_r_x;
  assign w_in_address = w_in_address_at_r_x;
  assign closes = r_z_last & r_y_last & r_x_last;
  assign input_in_leaves = yi_last & xi_last & r_z_last & r_y_last & r_x_last;
  assign w_in_leaves = yo_last & xo_last & yi_last & xi_last & r_z_last & r_y_last & r_x_last;
  assign opens = r_z_zero & r_y_zero & r_x_zero;
  assign first = opens;
  assign input_in_fresh = r_x_zero;

  always @(posedge clk) begin
    if (start) begin
      valid <= 1'd1;
      k_count <= 6'd0;
      k_last <= 1'd0;
      yo_count <= 1'd0;
      yo_last <= 1'd0;
      xo_count <= 1'd0;
      xo_last <= 1'd0;
      yi_count <= 3'd0;
      yi_last <= 1'd0;
      xi_count <= 1'd0;
      xi_last <= 1'd0;
      r_z_count <= 2'd0;
      r_z_zero <= 1'd1;
      r_z_last <= 1'd0;
      r_y_count <= 3'd0;
      r_y_zero <= 1'd1;
      r_y_last <= 1'd0;
      r_x_count <= 3'd0;
      r_x_zero <= 1'd1;
      r_x_last <= 1'd0;
      input_in_address_at_yi <= 7'd0;
      input_in_address_at_r_z <= 7'd0;
      input_in_address_at_r_y <= 7'd0;
      input_in_place0_at_xi <= 4'd0;
      input_in_place0_at_r_x <= 4'd0;
      w_in_address_at_r_z <= 7'd0;
      w_in_address_at_r_y <= 7'd0;
      w_in_address_at_r_x <= 7'd0;
    end else if (advance) begin
      if (r_x_more) begin
        r_x_count <= r_x_count + 3'd1;
        r_x_zero <= 1'd0;
        r_x_last <= r_x_count == 3'd3;
        input_in_place0_at_r_x <= input_in_place0_at_r_x_next;
        w_in_address_at_r_x <= w_in_address_at_r_x_next;
      end else if (r_y_more) begin
        r_y_count <= r_y_count + 3'd1;
        r_y_zero <= 1'd0;
        r_y_last <= r_y_count == 3'd3;
        r_x_count <= 3'd0;
        r_x_zero <= 1'd1;
        r_x_last <= 1'd0;
        input_in_address_at_r_y <= input_in_address_at_r_y_next;
        input_in_place0_at_r_x <= input_in_place0_at_xi;
        w_in_address_at_r_y <= w_in_address_at_r_y_next;
        w_in_address_at_r_x <= w_in_address_at_r_y_next;
      end else if (r_z_more) begin
        r_z_count <= r_z_count + 2'd1;
        r_z_zero <= 1'd0;
        r_z_last <= r_z_count == 2'd1;
        r_y_count <= 3'd0;
        r_y_zero <= 1'd1;
        r_y_last <= 1'd0;
        r_x_count <= 3'd0;
        r_x_zero <= 1'd1;
        r_x_last <= 1'd0;
        input_in_address_at_r_z <= input_in_address_at_r_z_next;
        input_in_address_at_r_y <= input_in_address_at_r_z_next;
        input_in_place0_at_r_x <= input_in_place0_at_xi;
        w_in_address_at_r_z <= w_in_address_at_r_z_next;
        w_in_address_at_r_y <= w_in_address_at_r_z_next;
        w_in_address_at_r_x <= w_in_address_at_r_z_next;
      end else if (xi_more) begin
        xi_count <= xi_count + 1'd1;
        xi_last <= ~xi_count;
        r_z_count <= 2'd0;
        r_z_zero <= 1'd1;
        r_z_last <= 1'd0;
        r_y_count <= 3'd0;
        r_y_zero <= 1'd1;
        r_y_last <= 1'd0;
        r_x_count <= 3'd0;
        r_x_zero <= 1'd1;
        r_x_last <= 1'd0;
        input_in_address_at_r_z <= input_in_address_at_yi;
        input_in_address_at_r_y <= input_in_address_at_yi;
        input_in_place0_at_xi <= input_in_place0_at_xi_next;
        input_in_place0_at_r_x <= input_in_place0_at_xi_next;
        w_in_address_at_r_z <= 7'd0;
        w_in_address_at_r_y <= 7'd0;
        w_in_address_at_r_x <= 7'd0;
      end else if (yi_more) begin
        yi_count <= yi_count + 3'd1;
        yi_last <= yi_count == 3'd6;
        xi_count <= 1'd0;
        xi_last <= 1'd0;
        r_z_count <= 2'd0;
        r_z_zero <= 1'd1;
        r_z_last <= 1'd0;
        r_y_count <= 3'd0;
        r_y_zero <= 1'd1;
        r_y_last <= 1'd0;
        r_x_count <= 3'd0;
        r_x_zero <= 1'd1;
        r_x_last <= 1'd0;
        input_in_address_at_yi <= input_in_address_at_yi_next;
        input_in_address_at_r_z <= input_in_address_at_yi_next;
        input_in_address_at_r_y <= input_in_address_at_yi_next;
        input_in_place0_at_xi <= 4'd0;
        input_in_place0_at_r_x <= 4'd0;
        w_in_address_at_r_z <= 7'd0;
        w_in_address_at_r_y <= 7'd0;
        w_in_address_at_r_x <= 7'd0;
      end else if (xo_more) begin
        xo_count <= xo_count + 1'd1;
        xo_last <= ~xo_count;
        yi_count <= 3'd0;
        yi_last <= 1'd0;
        xi_count <= 1'd0;
        xi_last <= 1'd0;
        r_z_count <= 2'd0;
        r_z_zero <= 1'd1;
        r_z_last <= 1'd0;
        r_y_count <= 3'd0;
        r_y_zero <= 1'd1;
        r_y_last <= 1'd0;
        r_x_count <= 3'd0;
        r_x_zero <= 1'd1;
        r_x_last <= 1'd0;
        input_in_address_at_yi <= 7'd0;
        input_in_address_at_r_z <= 7'd0;
        input_in_address_at_r_y <= 7'd0;
        input_in_place0_at_xi <= 4'd0;
        input_in_place0_at_r_x <= 4'd0;
        w_in_address_at_r_z <= 7'd0;
        w_in_address_at_r_y <= 7'd0;
        w_in_address_at_r_x <= 7'd0;
      end else if (yo_more) begin
        yo_count <= yo_count + 1'd1;
        yo_last <= ~yo_count;
        xo_count <= 1'd0;
        xo_last <= 1'd0;
        yi_count <= 3'd0;
        yi_last <= 1'd0;
        xi_count <= 1'd0;
        xi_last <= 1'd0;
        r_z_count <= 2'd0;
        r_z_zero <= 1'd1;
        r_z_last <= 1'd0;
        r_y_count <= 3'd0;
        r_y_zero <= 1'd1;
        r_y_last <= 1'd0;
        r_x_count <= 3'd0;
        r_x_zero <= 1'd1;
        r_x_last <= 1'd0;
        input_in_address_at_yi <= 7'd0;
        input_in_address_at_r_z <= 7'd0;
        input_in_address_at_r_y <= 7'd0;
        input_in_place0_at_xi <= 4'd0;
        input_in_place0_at_r_x <= 4'd0;
        w_in_address_at_r_z <= 7'd0;
        w_in_address_at_r_y <= 7'd0;
        w_in_address_at_r_x <= 7'd0;
      end else if (k_more) begin
        k_count <= k_count + 6'd1;
        k_last <= k_count == 6'd62;
        yo_count <= 1'd0;
        yo_last <= 1'd0;
        xo_count <= 1'd0;
        xo_last <= 1'd0;
        yi_count <= 3'd0;
        yi_last <= 1'd0;
        xi_count <= 1'd0;
        xi_last <= 1'd0;
        r_z_count <= 2'd0;
        r_z_zero <= 1'd1;
        r_z_last <= 1'd0;
        r_y_count <= 3'd0;
        r_y_zero <= 1'd1;
        r_y_last <= 1'd0;
        r_x_count <= 3'd0;
        r_x_zero <= 1'd1;
        r_x_last <= 1'd0;
        input_in_address_at_yi <= 7'd0;
        input_in_address_at_r_z <= 7'd0;
        input_in_address_at_r_y <= 7'd0;
        input_in_place0_at_xi <= 4'd0;
        input_in_place0_at_r_x <= 4'd0;
        w_in_address_at_r_z <= 7'd0;
        w_in_address_at_r_y <= 7'd0;
        w_in_address_at_r_x <= 7'd0;
      end else begin
        valid <= 1'd0;
      end
    end
    if (rst) begin
      valid <= 1'd0;
      k_count <= 6'd0;
      k_last <= 1'd0;
      yo_count <= 1'd0;
      yo_last <= 1'd0;
      xo_count <= 1'd0;
      xo_last <= 1'd0;
      yi_count <= 3'd0;
      yi_last <= 1'd0;
      xi_count <= 1'd0;
      xi_last <= 1'd0;
      r_z_count <= 2'd0;
      r_z_zero <= 1'd0;
      r_z_last <= 1'd0;
      r_y_count <= 3'd0;
      r_y_zero <= 1'd0;
      r_y_last <= 1'd0;
      r_x_count <= 3'd0;
      r_x_zero <= 1'd0;
      r_x_last <= 1'd0;
      input_in_address_at_yi <= 7'd0;
      input_in_address_at_r_z <= 7'd0;
      input_in_address_at_r_y <= 7'd0;
      input_in_place0_at_xi <= 4'd0;
      input_in_place0_at_r_x <= 4'd0;
      w_in_address_at_r_z <= 7'd0;
      w_in_address_at_r_y <= 7'd0;
      w_in_address_at_r_x <= 7'd0;
    end
  end
endmodule

// Fills a memory from a port: one walk asks, an equal one takes the answers.
//
// Asks for a tile only when a part of the memory is free, so that every answer has a place; any number of requests may
// be under way. Words outside the tensor are not asked for: they take the boundary value, one cycle each. Partial sums
// of a first visit are not asked for either, and the others only when the writer has `stored` enough tiles. Ready/valid
// on both port channels; a word lands one cycle after its answer. Reset: idle; starts with `start`; `rests` when all
// answers are taken.
module output_w_in_load (
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  output wire        req_valid,
  input  wire        req_ready,
  output wire [12:0] req_addr,
  input  wire        resp_valid,
  output wire        resp_ready,
  input  wire [15:0] resp_data,
  output reg         w_valid = 1'd0,
  output reg  [15:0] w_data = 16'd0,
  output reg  [6:0]  w_address = 7'd0,
  input  wire        free,
  input  wire        granted,
  output wire        reserve,
  output reg         commit = 1'd0
);
  wire asking_valid, asking_opens, taking_valid, taking_ends;
  wire [6:0] taking_w_address;
  assign req_valid = asking_valid & (free | ~asking_opens);
  wire asking_advance = req_valid & req_ready;
  assign resp_ready = taking_valid & granted;
  wire taking_advance = resp_ready & resp_valid;
  assign reserve = asking_advance & asking_opens;

  output_w_in_load_request_walk asking (
    .clk(clk),
    .rst(rst),
    .start(start),
    .advance(asking_advance),
    .valid(asking_valid),
    .address(req_addr),
    .opens(asking_opens)
  );

  output_w_in_load_response_walk taking (
    .clk(clk),
    .rst(rst),
    .start(start),
    .advance(taking_advance),
    .valid(taking_valid),
    .w_address(taking_w_address),
    .ends(taking_ends)
  );

  always @(posedge clk) begin
    w_valid <= taking_advance;
    commit <= taking_advance & taking_ends;
    w_data <= resp_data;
    w_address <= taking_w_address;
    if (rst) begin
      w_valid <= 1'd0;
      commit <= 1'd0;
      w_data <= 16'd0;
      w_address <= 7'd0;
    end
  end
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
//
// After `start` the first iteration is on the outputs; after the last, `valid` falls. All outputs come from registers
// (flags through one gate). Addresses are made by adding strides: for every loop that an address depends on, one
// register holds its value with the inner loops at their start. Reset: idle.
module output_w_in_load_response_walk (
  input  wire       clk,
  input  wire       rst,
  input  wire       start,
  input  wire       advance,
  output reg        valid = 1'd0,
  output wire [6:0] w_address,
  output wire       ends
);
  reg [5:0] k_count = 6'd0;
  reg k_last = 1'd0, w_in_2_last = 1'd0, w_in_1_last = 1'd0, w_in_0_last = 1'd0;
  reg [1:0] w_in_2_count = 2'd0;
  reg [2:0] w_in_1_count = 3'd0, w_in_0_count = 3'd0;
  reg [6:0] w_address_at_w_in_2 = 7'd0, w_address_at_w_in_1 = 7'd0, w_address_at_w_in_0 = 7'd0;
  wire w_in_0_more = ~w_in_0_last;
  wire w_in_1_more = ~w_in_1_last;
  wire w_in_2_more = ~w_in_2_last;
  wire k_more = ~k_last;
  wire [6:0] w_address_at_w_in_0_next = w_address_at_w_in_0 + 7'd1;
  wire [6:0] w_address_at_w_in_1_next = w_address_at_w_in_1 + 7'd5;
  wire [6:0] w_address_at_w_in_2_next = w_address_at_w_in_2 + 7'd25;
  assign w_address = w_address_at_w_in_0;
  assign ends = w_in_2_last & w_in_1_last & w_in_0_last;

  always @(posedge clk) begin
    if (start) begin
      valid <= 1'd1;
      k_count <= 6'd0;
      k_last <= 1'd0;
      w_in_2_count <= 2'd0;
      w_in_2_last <= 1'd0;
      w_in_1_count <= 3'd0;
      w_in_1_last <= 1'd0;
      w_in_0_count <= 3'd0;
      w_in_0_last <= 1'd0;
      w_address_at_w_in_2 <= 7'd0;
      w_address_at_w_in_1 <= 7'd0;
      w_address_at_w_in_0 <= 7'd0;
    end else if (advance) begin
      if (w_in_0_more) begin
        w_in_0_count <= w_in_0_count + 3'd1;
        w_in_0_last <= w_in_0_count == 3'd3;
        w_address_at_w_in_0 <= w_address_at_w_in_0_next;
      end else if (w_in_1_more) begin
        w_in_1_count <= w_in_1_count + 3'd1;
        w_in_1_last <= w_in_1_count == 3'd3;
        w_in_0_count <= 3'd0;
        w_in_0_last <= 1'd0;
        w_address_at_w_in_1 <= w_address_at_w_in_1_next;
        w_address_at_w_in_0 <= w_address_at_w_in_1_next;
      end else if (w_in_2_more) begin
        w_in_2_count <= w_in_2_count + 2'd1;
        w_in_2_last <= w_in_2_count == 2'd1;
        w_in_1_count <= 3'd0;
        w_in_1_last <= 1'd0;
        w_in_0_count <= 3'd0;
        w_in_0_last <= 1'd0;
        w_address_at_w_in_2 <= w_address_at_w_in_2_next;
        w_address_at_w_in_1 <= w_address_at_w_in_2_next;
        w_address_at_w_in_0 <= w_address_at_w_in_2_next;
      end else if (k_more) begin
        k_count <= k_count + 6'd1;
        k_last <= k_count == 6'd62;
        w_in_2_count <= 2'd0;
        w_in_2_last <= 1'd0;
        w_in_1_count <= 3'd0;
        w_in_1_last <= 1'd0;
        w_in_0_count <= 3'd0;
        w_in_0_last <= 1'd0;
        w_address_at_w_in_2 <= 7'd0;
        w_address_at_w_in_1 <= 7'd0;
        w_address_at_w_in_0 <= 7'd0;
      end else begin
        valid <= 1'd0;
      end
    end
    if (rst) begin
      valid <= 1'd0;
      k_count <= 6'd0;
      k_last <= 1'd0;
      w_in_2_count <= 2'd0;
      w_in_2_last <= 1'd0;
      w_in_1_count <= 3'd0;
      w_in_1_last <= 1'd0;
      w_in_0_count <= 3'd0;
      w_in_0_last <= 1'd0;
      w_address_at_w_in_2 <= 7'd0;
      w_address_at_w_in_1 <= 7'd0;
      w_address_at_w_in_0 <= 7'd0;
    end
  end
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
//
// After `start` the first iteration is on the outputs; after the last, `valid` falls. All outputs come from registers
// (flags through one gate). Addresses are made by adding strides: for every loop that an address depends on, one
// register holds its value with the inner loops at their start. Reset: idle.
module output_w_in_load_request_walk (
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  input  wire        advance,
  output reg         valid = 1'd0,
  output wire [12:0] address,
  output wire        opens
);
  reg [5:0] k_count = 6'd0;
  reg k_last = 1'd0, w_in_2_zero = 1'd0, w_in_2_last = 1'd0, w_in_1_zero = 1'd0, w_in_1_last = 1'd0, w_in_0_zero = 1'd0,
      w_in_0_last = 1'd0;
  reg [1:0] w_in_2_count = 2'd0;
  reg [2:0] w_in_1_count = 3'd0, w_in_0_count = 3'd0;
  reg [12:0] address_at_k = 13'd0, address_at_w_in_2 = 13'd0, address_at_w_in_1 = 13'd0, address_at_w_in_0 = 13'd0;
  wire w_in_0_more = ~w_in_0_last;
  wire w_in_1_more = ~w_in_1_last;
  wire w_in_2_more = ~w_in_2_last;
  wire k_more = ~k_last;
  wire [12:0] address_at_w_in_0_next = address_at_w_in_0 + 13'd1;
  wire [12:0] address_at_w_in_1_next = address_at_w_in_1 + 13'd5;
  wire [12:0] address_at_w_in_2_next = address_at_w_in_2 + 13'd25;
  wire [12:0] address_at_k_next = address_at_k + 13'd75;
  assign address = address_at_w_in_0;
  assign opens = w_in_2_zero & w_in_1_zero & w_in_0_zero;

  always @(posedge clk) begin
    if (start) begin
      valid <= 1'd1;
      k_count <= 6'd0;
      k_last <= 1'd0;
      w_in_2_count <= 2'd0;
      w_in_2_zero <= 1'd1;
      w_in_2_last <= 1'd0;
      w_in_1_count <= 3'd0;
      w_in_1_zero <= 1'd1;
      w_in_1_last <= 1'd0;
      w_in_0_count <= 3'd0;
      w_in_0_zero <= 1'd1;
      w_in_0_last <= 1'd0;
      address_at_k <= 13'd0;
      address_at_w_in_2 <= 13'd0;
      address_at_w_in_1 <= 13'd0;
      address_at_w_in_0 <= 13'd0;
    end else if (advance) begin
      if (w_in_0_more) begin
        w_in_0_count <= w_in_0_count + 3'd1;
        w_in_0_zero <= 1'd0;
        w_in_0_last <= w_in_0_count == 3'd3;
        address_at_w_in_0 <= address_at_w_in_0_next;
      end else if (w_in_1_more) begin
        w_in_1_count <= w_in_1_count + 3'd1;
        w_in_1_zero <= 1'd0;
        w_in_1_last <= w_in_1_count == 3'd3;
        w_in_0_count <= 3'd0;
        w_in_0_zero <= 1'd1;
        w_in_0_last <= 1'd0;
        address_at_w_in_1 <= address_at_w_in_1_next;
        address_at_w_in_0 <= address_at_w_in_1_next;
      end else if (w_in_2_more) begin
        w_in_2_count <= w_in_2_count + 2'd1;
        w_in_2_zero <= 1'd0;
        w_in_2_last <= w_in_2_count == 2'd1;
        w_in_1_count <= 3'd0;
        w_in_1_zero <= 1'd1;
        w_in_1_last <= 1'd0;
        w_in_0_count <= 3'd0;
        w_in_0_zero <= 1'd1;
        w_in_0_last <= 1'd0;
        address_at_w_in_2 <= address_at_w_in_2_next;
        address_at_w_in_1 <= address_at_w_in_2_next;
        address_at_w_in_0 <= address_at_w_in_2_next;
      end else if (k_more) begin
        k_count <= k_count + 6'd1;
        k_last <= k_count == 6'd62;
        w_in_2_count <= 2'd0;
        w_in_2_zero <= 1'd1;
        w_in_2_last <= 1'd0;
        w_in_1_count <= 3'd0;
        w_in_1_zero <= 1'd1;
        w_in_1_last <= 1'd0;
        w_in_0_count <= 3'd0;
        w_in_0_zero <= 1'd1;
        w_in_0_last <= 1'd0;
        address_at_k <= address_at_k_next;
        address_at_w_in_2 <= address_at_k_next;
        address_at_w_in_1 <= address_at_k_next;
        address_at_w_in_0 <= address_at_k_next;
      end else begin
        valid <= 1'd0;
      end
    end
    if (rst) begin
      valid <= 1'd0;
      k_count <= 6'd0;
      k_last <= 1'd0;
      w_in_2_count <= 2'd0;
      w_in_2_zero <= 1'd0;
      w_in_2_last <= 1'd0;
      w_in_1_count <= 3'd0;
      w_in_1_zero <= 1'd0;
      w_in_1_last <= 1'd0;
      w_in_0_count <= 3'd0;
      w_in_0_zero <= 1'd0;
      w_in_0_last <= 1'd0;
      address_at_k <= 13'd0;
      address_at_w_in_2 <= 13'd0;
      address_at_w_in_1 <= 13'd0;
      address_at_w_in_0 <= 13'd0;
    end
  end
endmodule

// Fills a memory from a port: one walk asks, an equal one takes the answers.
//
// Asks for a tile only when a part of the memory is free, so that every answer has a place; any number of requests may
// be under way. Words outside the tensor are not asked for: they take the boundary value, one cycle each. Partial sums
// of a first visit are not asked for either, and the others only when the writer has `stored` enough tiles. Ready/valid
// on both port channels; a word lands one cycle after its answer. Reset: idle; starts with `start`; `rests` when all
// answers are taken.
module output_input_in_load (
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  output wire        req_valid,
  input  wire        req_ready,
  output wire [10:0] req_addr,
  input  wire        resp_valid,
  output wire        resp_ready,
  input  wire [15:0] resp_data,
  output reg         w_valid = 1'd0,
  output reg  [15:0] w_data = 16'd0,
  output reg  [6:0]  w_address = 7'd0,
  output reg  [1:0]  w_digit0 = 2'd0,
  input  wire        free,
  input  wire        granted,
  output wire        reserve,
  output reg         commit = 1'd0
);
  wire asking_valid, asking_opens, taking_valid, taking_ends;
  wire [6:0] taking_w_address;
  wire [1:0] taking_w_digit0;
  assign req_valid = asking_valid & (free | ~asking_opens);
  wire asking_advance = req_valid & req_ready;
  assign resp_ready = taking_valid & granted;
  wire taking_advance = resp_ready & resp_valid;
  assign reserve = asking_advance & asking_opens;

  output_input_in_load_request_walk asking (
    .clk(clk),
    .rst(rst),
    .start(start),
    .advance(asking_advance),
    .valid(asking_valid),
    .address(req_addr),
    .opens(asking_opens)
  );

  output_input_in_load_response_walk taking (
    .clk(clk),
    .rst(rst),
    .start(start),
    .advance(taking_advance),
    .valid(taking_valid),
    .w_address(taking_w_address),
    .w_digit0(taking_w_digit0),
    .ends(taking_ends)
  );

  always @(posedge clk) begin
    w_valid <= taking_advance;
    commit <= taking_advance & taking_ends;
    w_data <= resp_data;
    w_address <= taking_w_address;
    w_digit0 <= taking_w_digit0;
    if (rst) begin
      w_valid <= 1'd0;
      commit <= 1'd0;
      w_data <= 16'd0;
      w_address <= 7'd0;
      w_digit0 <= 2'd0;
    end
  end
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
//
// After `start` the first iteration is on the outputs; after the last, `valid` falls. All outputs come from registers
// (flags through one gate). Addresses are made by adding strides: for every loop that an address depends on, one
// register holds its value with the inner loops at their start. Reset: idle.
module output_input_in_load_response_walk (
  input  wire       clk,
  input  wire       rst,
  input  wire       start,
  input  wire       advance,
  output reg        valid = 1'd0,
  output wire [6:0] w_address,
  output wire [1:0] w_digit0,
  output wire       ends
);
  reg [5:0] k_count = 6'd0;
  reg k_last = 1'd0, yo_count = 1'd0, yo_last = 1'd0, xo_count = 1'd0, xo_last = 1'd0, input_in_2_last = 1'd0,
      input_in_1_last = 1'd0, input_in_0_last = 1'd0, input_in_0_bank_last = 1'd0;
  reg [1:0] input_in_2_count = 2'd0, input_in_0_count = 2'd0, input_in_0_bank_count = 2'd0, w_digit0_at_input_in_0_bank
      = 2'd0;
  reg [3:0] input_in_1_count = 4'd0;
  reg [6:0] w_address_at_input_in_2 = 7'd0, w_address_at_input_in_1 = 7'd0, w_address_at_input_in_0 = 7'd0;
  wire input_in_0_bank_more = ~input_in_0_bank_last;
  wire input_in_0_more = ~input_in_0_last;
  wire input_in_1_more = ~input_in_1_last;
  wire input_in_2_more = ~input_in_2_last;
  wire xo_more = ~xo_last;
  wire yo_more = ~yo_last;
  wire k_more = ~k_last;
  wire [1:0] w_digit0_at_input_in_0_bank_next = w_digit0_at_input_in_0_bank + 2'd1;
  wire [6:0] w_address_at_input_in_0_next = w_address_at_input_in_0 + 7'd1;
  wire [6:0] w_address_at_input_in_1_next = w_address_at_input_in_1 + 7'd3;
  wire [6:0] w_address_at_input_in_2_next = w_address_at_input_in_2 + 7'd36;
  assign w_address = w_address_at_input_in_0;
  assign w_digit0 = w_digit0_at_input_in_0_bank;
  assign ends = input_in_2_last & input_in_1_last & input_in_0_last & input_in_0_bank_last;

  always @(posedge clk) begin
    if (start) begin
      valid <= 1'd1;
      k_count <= 6'd0;
      k_last <= 1'd0;
      yo_count <= 1'd0;
      yo_last <= 1'd0;
      xo_count <= 1'd0;
      xo_last <= 1'd0;
      input_in_2_count <= 2'd0;
      input_in_2_last <= 1'd0;
      input_in_1_count <= 4'd0;
      input_in_1_last <= 1'd0;
      input_in_0_count <= 2'd0;
      input_in_0_last <= 1'd0;
      input_in_0_bank_count <= 2'd0;
      input_in_0_bank_last <= 1'd0;
      w_address_at_input_in_2 <= 7'd0;
      w_address_at_input_in_1 <= 7'd0;
      w_address_at_input_in_0 <= 7'd0;
      w_digit0_at_input_in_0_bank <= 2'd0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        input_in_0_bank_count <= input_in_0_bank_count + 2'd1;
        input_in_0_bank_last <= input_in_0_bank_count == 2'd2;
        w_digit0_at_input_in_0_bank <= w_digit0_at_input_in_0_bank_next;
      end else if (input_in_0_more) begin
        input_in_0_count <= input_in_0_count + 2'd1;
        input_in_0_last <= input_in_0_count == 2'd1;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_last <= 1'd0;
        w_address_at_input_in_0 <= w_address_at_input_in_0_next;
        w_digit0_at_input_in_0_bank <= 2'd0;
      end else if (input_in_1_more) begin
        input_in_1_count <= input_in_1_count + 4'd1;
        input_in_1_last <= input_in_1_count == 4'd10;
        input_in_0_count <= 2'd0;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_last <= 1'd0;
        w_address_at_input_in_1 <= w_address_at_input_in_1_next;
        w_address_at_input_in_0 <= w_address_at_input_in_1_next;
        w_digit0_at_input_in_0_bank <= 2'd0;
      end else if (input_in_2_more) begin
        input_in_2_count <= input_in_2_count + 2'd1;
        input_in_2_last <= input_in_2_count == 2'd1;
        input_in_1_count <= 4'd0;
        input_in_1_last <= 1'd0;
        input_in_0_count <= 2'd0;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_last <= 1'd0;
        w_address_at_input_in_2 <= w_address_at_input_in_2_next;
        w_address_at_input_in_1 <= w_address_at_input_in_2_next;
        w_address_at_input_in_0 <= w_address_at_input_in_2_next;
        w_digit0_at_input_in_0_bank <= 2'd0;
      end else if (xo_more) begin
        xo_count <= xo_count + 1'd1;
        xo_last <= ~xo_count;
        input_in_2_count <= 2'd0;
        input_in_2_last <= 1'd0;
        input_in_1_count <= 4'd0;
        input_in_1_last <= 1'd0;
        input_in_0_count <= 2'd0;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_last <= 1'd0;
        w_address_at_input_in_2 <= 7'd0;
        w_address_at_input_in_1 <= 7'd0;
        w_address_at_input_in_0 <= 7'd0;
        w_digit0_at_input_in_0_bank <= 2'd0;
      end else if (yo_more) begin
        yo_count <= yo_count + 1'd1;
        yo_last <= ~yo_count;
        xo_count <= 1'd0;
        xo_last <= 1'd0;
        input_in_2_count <= 2'd0;
        input_in_2_last <= 1'd0;
        input_in_1_count <= 4'd0;
        input_in_1_last <= 1'd0;
        input_in_0_count <= 2'd0;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_last <= 1'd0;
        w_address_at_input_in_2 <= 7'd0;
        w_address_at_input_in_1 <= 7'd0;
        w_address_at_input_in_0 <= 7'd0;
        w_digit0_at_input_in_0_bank <= 2'd0;
      end else if (k_more) begin
        k_count <= k_count + 6'd1;
        k_last <= k_count == 6'd62;
        yo_count <= 1'd0;
        yo_last <= 1'd0;
        xo_count <= 1'd0;
        xo_last <= 1'd0;
        input_in_2_count <= 2'd0;
        input_in_2_last <= 1'd0;
        input_in_1_count <= 4'd0;
        input_in_1_last <= 1'd0;
        input_in_0_count <= 2'd0;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_last <= 1'd0;
        w_address_at_input_in_2 <= 7'd0;
        w_address_at_input_in_1 <= 7'd0;
        w_address_at_input_in_0 <= 7'd0;
        w_digit0_at_input_in_0_bank <= 2'd0;
      end else begin
        valid <= 1'd0;
      end
    end
    if (rst) begin
      valid <= 1'd0;
      k_count <= 6'd0;
      k_last <= 1'd0;
      yo_count <= 1'd0;
      yo_last <= 1'd0;
      xo_count <= 1'd0;
      xo_last <= 1'd0;
      input_in_2_count <= 2'd0;
      input_in_2_last <= 1'd0;
      input_in_1_count <= 4'd0;
      input_in_1_last <= 1'd0;
      input_in_0_count <= 2'd0;
      input_in_0_last <= 1'd0;
      input_in_0_bank_count <= 2'd0;
      input_in_0_bank_last <= 1'd0;
      w_address_at_input_in_2 <= 7'd0;
      w_address_at_input_in_1 <= 7'd0;
      w_address_at_input_in_0 <= 7'd0;
      w_digit0_at_input_in_0_bank <= 2'd0;
    end
  end
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
//
// After `start` the first iteration is on the outputs; after the last, `valid` falls. All outputs come from registers
// (flags through one gate). Addresses are made by adding strides: for every loop that an address depends on, one
// register holds its value with the inner loops at their start. Reset: idle.
module output_input_in_load_request_walk (
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  input  wire        advance,
  output reg         valid = 1'd0,
  output wire [10:0] address,
  output wire        opens
);
  reg [5:0] k_count = 6'd0;
  reg k_last = 1'd0, yo_count = 1'd0, yo_last = 1'd0, xo_count = 1'd0, xo_last = 1'd0, input_in_2_zero = 1'd0,
      input_in_2_last = 1'd0, input_in_1_zero = 1'd0, input_in_1_last = 1'd0, input_in_0_zero = 1'd0, input_in_0_last =
      1'd0, input_in_0_bank_zero = 1'd0, input_in_0_bank_last = 1'd0;
  reg [1:0] input_in_2_count = 2'd0, input_in_0_count = 2'd0, input_in_0_bank_count = 2'd0;
  reg [3:0] input_in_1_count = 4'd0;
  reg [10:0] address_at_yo = 11'd0, address_at_xo = 11'd0, address_at_input_in_2 = 11'd0, address_at_input_in_1 = 11'd0,
      address_at_input_in_0 = 11'd0, address_at_input_in_0_bank = 11'd0;
  wire input_in_0_bank_more = ~input_in_0_bank_last;
  wire input_in_0_more = ~input_in_0_last;
  wire input_in_1_more = ~input_in_1_last;
  wire input_in_2_more = ~input_in_2_last;
  wire xo_more = ~xo_last;
  wire yo_more = ~yo_last;
  wire k_more = ~k_last;
  wire [10:0] address_at_input_in_0_bank_next = address_at_input_in_0_bank + 11'd1;
  wire [10:0] address_at_input_in_0_next = address_at_input_in_0 + 11'd4;
  wire [10:0] address_at_input_in_1_next = address_at_input_in_1 + 11'd20;
  wire [10:0] address_at_input_in_2_next = address_at_input_in_2 + 11'd400;
  wire [10:0] address_at_xo_next = address_at_xo + 11'd8;
  wire [10:0] address_at_yo_next = address_at_yo + 11'd160;
  assign address = address_at_input_in_0_bank;
  assign opens = input_in_2_zero & input_in_1_zero & input_in_0_zero & input_in_0_bank_zero;

  always @(posedge clk) begin
    if (start) begin
      valid <= 1'd1;
      k_count <= 6'd0;
      k_last <= 1'd0;
      yo_count <= 1'd0;
      yo_last <= 1'd0;
      xo_count <= 1'd0;
      xo_last <= 1'd0;
      input_in_2_count <= 2'd0;
      input_in_2_zero <= 1'd1;
      input_in_2_last <= 1'd0;
      input_in_1_count <= 4'd0;
      input_in_1_zero <= 1'd1;
      input_in_1_last <= 1'd0;
      input_in_0_count <= 2'd0;
      input_in_0_zero <= 1'd1;
      input_in_0_last <= 1'd0;
      input_in_0_bank_count <= 2'd0;
      input_in_0_bank_zero <= 1'd1;
      input_in_0_bank_last <= 1'd0;
      address_at_yo <= 11'd0;
      address_at_xo <= 11'd0;
      address_at_input_in_2 <= 11'd0;
      address_at_input_in_1 <= 11'd0;
      address_at_input_in_0 <= 11'd0;
      address_at_input_in_0_bank <= 11'd0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        input_in_0_bank_count <= input_in_0_bank_count + 2'd1;
        input_in_0_bank_zero <= 1'd0;
        input_in_0_bank_last <= input_in_0_bank_count == 2'd2;
        address_at_input_in_0_bank <= address_at_input_in_0_bank_next;
      end else if (input_in_0_more) begin
        input_in_0_count <= input_in_0_count + 2'd1;
        input_in_0_zero <= 1'd0;
        input_in_0_last <= input_in_0_count == 2'd1;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_zero <= 1'd1;
        input_in_0_bank_last <= 1'd0;
        address_at_input_in_0 <= address_at_input_in_0_next;
        address_at_input_in_0_bank <= address_at_input_in_0_next;
      end else if (input_in_1_more) begin
        input_in_1_count <= input_in_1_count + 4'd1;
        input_in_1_zero <= 1'd0;
        input_in_1_last <= input_in_1_count == 4'd10;
        input_in_0_count <= 2'd0;
        input_in_0_zero <= 1'd1;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_zero <= 1'd1;
        input_in_0_bank_last <= 1'd0;
        address_at_input_in_1 <= address_at_input_in_1_next;
        address_at_input_in_0 <= address_at_input_in_1_next;
        address_at_input_in_0_bank <= address_at_input_in_1_next;
      end else if (input_in_2_more) begin
        input_in_2_count <= input_in_2_count + 2'd1;
        input_in_2_zero <= 1'd0;
        input_in_2_last <= input_in_2_count == 2'd1;
        input_in_1_count <= 4'd0;
        input_in_1_zero <= 1'd1;
        input_in_1_last <= 1'd0;
        input_in_0_count <= 2'd0;
        input_in_0_zero <= 1'd1;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_zero <= 1'd1;
        input_in_0_bank_last <= 1'd0;
        address_at_input_in_2 <= address_at_input_in_2_next;
        address_at_input_in_1 <= address_at_input_in_2_next;
        address_at_input_in_0 <= address_at_input_in_2_next;
        address_at_input_in_0_bank <= address_at_input_in_2_next;
      end else if (xo_more) begin
        xo_count <= xo_count + 1'd1;
        xo_last <= ~xo_count;
        input_in_2_count <= 2'd0;
        input_in_2_zero <= 1'd1;
        input_in_2_last <= 1'd0;
        input_in_1_count <= 4'd0;
        input_in_1_zero <= 1'd1;
        input_in_1_last <= 1'd0;
        input_in_0_count <= 2'd0;
        input_in_0_zero <= 1'd1;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_zero <= 1'd1;
        input_in_0_bank_last <= 1'd0;
        address_at_xo <= address_at_xo_next;
        address_at_input_in_2 <= address_at_xo_next;
        address_at_input_in_1 <= address_at_xo_next;
        address_at_input_in_0 <= address_at_xo_next;
        address_at_input_in_0_bank <= address_at_xo_next;
      end else if (yo_more) begin
        yo_count <= yo_count + 1'd1;
        yo_last <= ~yo_count;
        xo_count <= 1'd0;
        xo_last <= 1'd0;
        input_in_2_count <= 2'd0;
        input_in_2_zero <= 1'd1;
        input_in_2_last <= 1'd0;
        input_in_1_count <= 4'd0;
        input_in_1_zero <= 1'd1;
        input_in_1_last <= 1'd0;
        input_in_0_count <= 2'd0;
        input_in_0_zero <= 1'd1;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_zero <= 1'd1;
        input_in_0_bank_last <= 1'd0;
        address_at_yo <= address_at_yo_next;
        address_at_xo <= address_at_yo_next;
        address_at_input_in_2 <= address_at_yo_next;
        address_at_input_in_1 <= address_at_yo_next;
        address_at_input_in_0 <= address_at_yo_next;
        address_at_input_in_0_bank <= address_at_yo_next;
      end else if (k_more) begin
        k_count <= k_count + 6'd1;
        k_last <= k_count == 6'd62;
        yo_count <= 1'd0;
        yo_last <= 1'd0;
        xo_count <= 1'd0;
        xo_last <= 1'd0;
        input_in_2_count <= 2'd0;
        input_in_2_zero <= 1'd1;
        input_in_2_last <= 1'd0;
        input_in_1_count <= 4'd0;
        input_in_1_zero <= 1'd1;
        input_in_1_last <= 1'd0;
        input_in_0_count <= 2'd0;
        input_in_0_zero <= 1'd1;
        input_in_0_last <= 1'd0;
        input_in_0_bank_count <= 2'd0;
        input_in_0_bank_zero <= 1'd1;
        input_in_0_bank_last <= 1'd0;
        address_at_yo <= 11'd0;
        address_at_xo <= 11'd0;
        address_at_input_in_2 <= 11'd0;
        address_at_input_in_1 <= 11'd0;
        address_at_input_in_0 <= 11'd0;
        address_at_input_in_0_bank <= 11'd0;
      end else begin
        valid <= 1'd0;
      end
    end
    if (rst) begin
      valid <= 1'd0;
      k_count <= 6'd0;
      k_last <= 1'd0;
      yo_count <= 1'd0;
      yo_last <= 1'd0;
      xo_count <= 1'd0;
      xo_last <= 1'd0;
      input_in_2_count <= 2'd0;
      input_in_2_zero <= 1'd0;
      input_in_2_last <= 1'd0;
      input_in_1_count <= 4'd0;
      input_in_1_zero <= 1'd0;
      input_in_1_last <= 1'd0;
      input_in_0_count <= 2'd0;
      input_in_0_zero <= 1'd0;
      input_in_0_last <= 1'd0;
      input_in_0_bank_count <= 2'd0;
      input_in_0_bank_zero <= 1'd0;
      input_in_0_bank_last <= 1'd0;
      address_at_yo <= 11'd0;
      address_at_xo <= 11'd0;
      address_at_input_in_2 <= 11'd0;
      address_at_input_in_1 <= 11'd0;
      address_at_input_in_0 <= 11'd0;
      address_at_input_in_0_bank <= 11'd0;
    end
  end
endmodule

// A memory of several parts, cyclically banked so that every lane has a word each cycle.
//
// Write: `w_valid` with word address, bank digits of lane 0 and a mask lands in the same cycle, in the part being
// written. Read: `r_step` with the base address gives all lanes `Memory.latency` cycles later, from the part being
// read; they keep their value until the next step's. Without `r_fresh`, only the lanes that follow no other are
// fetched. With rows behind, they come with the lanes, from `r_column`. Ownership as in the ping-pong, or in the ring
// of rows, in which addresses wrap; by pieces, `full` says that the one is there that the reader comes to. With one
// port, parts are memories of their own. No back-pressure on either side. Reset: all parts free, contents undefined.
module output_w_in_buffer (
  input  wire        clk,
  input  wire        rst,
  input  wire        w_valid,
  input  wire [6:0]  w_address,
  input  wire [15:0] w_data,
  input  wire        r_step,
  input  wire [6:0]  r_address,
  output wire [15:0] r_data,
  input  wire        reserve,
  input  wire        commit,
  input  wire        retire,
  output wire        free,
  output wire        granted,
  output wire        full
);
  reg step1 = 1'd0;
  reg [7:0] lane0_address = 8'd0;
  wire [6:0] owner_write_base, owner_read_base;
  wire [7:0] landing = {1'd0, owner_write_base} + {1'd0, w_address};
  wire [7:0] base = {1'd0, owner_read_base} + {1'd0, r_address};

  output_ping_pong_2 owner (
    .clk(clk),
    .rst(rst),
    .reserve(reserve),
    .commit(commit),
    .retire(retire),
    .free(free),
    .granted(granted),
    .full(full),
    .write_base(owner_write_base),
    .read_base(owner_read_base)
  );

  output_ram #(.WIDTH(16), .DEPTH(150), .ADDRESS(8)) bank (
    .clk(clk),
    .write_enable(w_valid),
    .write_address(landing),
    .write_data(w_data),
    .read_enable(step1),
    .read_address(lane0_address),
    .read_data(r_data)
  );

  always @(posedge clk) begin
    step1 <= r_step;
    if (rst) begin
      step1 <= 1'd0;
    end
  end

  always @(posedge clk) lane0_address <= base;
endmodule

// Passes the parts of a buffer from its writer to its reader and back, in order.
//
// The writer pulses `reserve` with the first step of a tile, only while `free`, and `commit` with the tile's last word,
// only while `granted`; the reader pulses `retire` with the last step of a tile, only while `full`. `granted` falls
// with the commit of the last part granted; else the flags follow a pulse one cycle (and the spec's lag) later.
// `write_base` and `read_base` are the parts' first words; they move on one cycle after commit and retire. Parts free,
// granted, full and lagging are all the parts there are, at all times. Reset: all parts free.
module output_ping_pong_2 (
  input  wire       clk,
  input  wire       rst,
  input  wire       reserve,
  input  wire       commit,
  input  wire       retire,
  output wire       free,
  output wire       granted,
  output wire       full,
  output reg  [6:0] write_base = 7'd0,
  output reg  [6:0] read_base = 7'd0
);
  reg [1:0] free_parts = 2'd2, granted_parts = 2'd0, full_parts = 2'd0;
  assign free = free_parts != 2'd0;
  assign granted = granted_parts > {1'd0, commit};
  assign full = full_parts != 2'd0;

  always @(posedge clk) begin
    if (retire & ~reserve) free_parts <= free_parts + 2'd1;
    else if (reserve & ~retire) free_parts <= free_parts - 2'd1;
    if (reserve & ~commit) granted_parts <= granted_parts + 2'd1;
    else if (commit & ~reserve) granted_parts <= granted_parts - 2'd1;
    if (commit & ~retire) full_parts <= full_parts + 2'd1;
    else if (retire & ~commit) full_parts <= full_parts - 2'd1;
    if (commit) begin
      if (write_base == 7'd75) write_base <= 7'd0;
      else write_base <= write_base + 7'd75;
    end
    if (retire) begin
      if (read_base == 7'd75) read_base <= 7'd0;
      else read_base <= read_base + 7'd75;
    end
    if (rst) begin
      free_parts <= 2'd2;
      granted_parts <= 2'd0;
      full_parts <= 2'd0;
      write_base <= 7'd0;
      read_base <= 7'd0;
    end
  end
endmodule

// A memory of several parts, cyclically banked so that every lane has a word each cycle.
//
// Write: `w_valid` with word address, bank digits of lane 0 and a mask lands in the same cycle, in the part being
// written. Read: `r_step` with the base address gives all lanes `Memory.latency` cycles later, from the part being
// read; they keep their value until the next step's. Without `r_fresh`, only the lanes that follow no other are
// fetched. With rows behind, they come with the lanes, from `r_column`. Ownership as in the ping-pong, or in the ring
// of rows, in which addresses wrap; by pieces, `full` says that the one is there that the reader comes to. With one
// port, parts are memories of their own. No back-pressure on either side. Reset: all parts free, contents undefined.
module output_input_in_buffer (
  input  wire        clk,
  input  wire        rst,
  input  wire        w_valid,
  input  wire [6:0]  w_address,
  input  wire [15:0] w_data,
  input  wire [1:0]  w_digit0,
  input  wire        r_step,
  input  wire [6:0]  r_address,
  output wire [63:0] r_data,
  input  wire        r_fresh,
  input  wire [3:0]  r_place0,
  input  wire        reserve,
  input  wire        commit,
  input  wire        retire,
  output wire        free,
  output wire        granted,
  output wire        full
);
  reg step1 = 1'd0, fresh1 = 1'd0;
  reg [7:0] lane0_address = 8'd0, lane1_address = 8'd0, lane2_address = 8'd0, lane3_address = 8'd0;
  reg [1:0] turn0 = 2'd0;
  reg [8:0] bank_0_0_0_request = 9'd0, bank_1_0_0_request = 9'd0, bank_2_0_0_request = 9'd0, bank_3_0_0_request = 9'd0;
  reg [15:0] lane0_word = 16'd0, lane1_word = 16'd0, lane2_word = 16'd0, lane3_word = 16'd0;
  wire [6:0] owner_write_base, owner_read_base;
  wire [1:0] turn0_late3;
  wire [15:0] bank_0_word, bank_1_word, bank_2_word, bank_3_word;
  wire arrived_late3, fresh_late3;
  wire [7:0] landing = {1'd0, owner_write_base} + {1'd0, w_address};
  wire [7:0] base = {1'd0, owner_read_base} + {1'd0, r_address};
  wire [3:0] lane1_place0 = r_place0 + 4'd1;
  wire [3:0] lane2_place0 = r_place0 + 4'd2;
  wire [3:0] lane3_place0 = r_place0 + 4'd3;
  wire [35:0] asked0_0_1 = turn0[0] ? {lane2_address, step1 & fresh1, lane1_address, step1 & fresh1, lane0_address,
      step1 & fresh1, lane3_address, step1} : {lane3_address, step1, lane2_address, step1 & fresh1, lane1_address, step1
      & fresh1, lane0_address, step1 & fresh1};
  wire [35:0] asked0_0_2 = turn0[1] ? {asked0_0_1[17:0], asked0_0_1[35:18]} : asked0_0_1;
  wire [63:0] found0_0_1 = turn0_late3[0] ? {bank_0_word, bank_3_word, bank_2_word, bank_1_word} : {bank_3_word,
      bank_2_word, bank_1_word, bank_0_word};
  wire [63:0] found0_0_2 = turn0_late3[1] ? {found0_0_1[31:0], found0_0_1[63:32]} : found0_0_1;
  assign r_data = {lane3_word, lane2_word, lane1_word, lane0_word};

  output_ping_pong owner (
    .clk(clk),
    .rst(rst),
    .reserve(reserve),
    .commit(commit),
    .retire(retire),
    .free(free),
    .granted(granted),
    .full(full),
    .write_base(owner_write_base),
    .read_base(owner_read_base)
  );

  output_delay #(.WIDTH(2), .DEPTH(3)) turn0_delay3 (
    .clk(clk),
    .d(turn0),
    .q(turn0_late3)
  );

  output_ram #(.WIDTH(16), .DEPTH(216), .ADDRESS(8)) bank_0 (
    .clk(clk),
    .write_enable(w_valid & (w_digit0 == 2'd0)),
    .write_address(landing),
    .write_data(w_data),
    .read_enable(bank_0_0_0_request[0]),
    .read_address(bank_0_0_0_request[8:1]),
    .read_data(bank_0_word)
  );

  output_ram #(.WIDTH(16), .DEPTH(216), .ADDRESS(8)) bank_1 (
    .clk(clk),
    .write_enable(w_valid & (w_digit0 == 2'd1)),
    .write_address(landing),
    .write_data(w_data),
    .read_enable(bank_1_0_0_request[0]),
    .read_address(bank_1_0_0_request[8:1]),
    .read_data(bank_1_word)
  );

  output_ram #(.WIDTH(16), .DEPTH(216), .ADDRESS(8)) bank_2 (
    .clk(clk),
    .write_enable(w_valid & (w_digit0 == 2'd2)),
    .write_address(landing),
    .write_data(w_data),
    .read_enable(bank_2_0_0_request[0]),
    .read_address(bank_2_0_0_request[8:1]),
    .read_data(bank_2_word)
  );

  output_ram #(.WIDTH(16), .DEPTH(216), .ADDRESS(8)) bank_3 (
    .clk(clk),
    .write_enable(w_valid & (w_digit0 == 2'd3)),
    .write_address(landing),
    .write_data(w_data),
    .read_enable(bank_3_0_0_request[0]),
    .read_address(bank_3_0_0_request[8:1]),
    .read_data(bank_3_word)
  );

  output_delay_reset #(.WIDTH(1), .DEPTH(3)) arrived_delay3 (
    .clk(clk),
    .d(step1),
    .rst(rst),
    .q(arrived_late3)
  );

  output_delay #(.WIDTH(1), .DEPTH(3)) fresh_delay3 (
    .clk(clk),
    .d(fresh1),
    .q(fresh_late3)
  );

  always @(posedge clk) begin
    step1 <= r_step;
    if (rst) begin
      step1 <= 1'd0;
    end
  end

  always @(posedge clk) begin
    lane0_address <= base + {6'd0, r_place0[3:2]};
    lane1_address <= base + {6'd0, lane1_place0[3:2]};
    lane2_address <= base + {6'd0, lane2_place0[3:2]};
    lane3_address <= base + {6'd0, lane3_place0[3:2]};
    fresh1 <= r_fresh;
    turn0 <= r_place0[1:0];
    bank_0_0_0_request <= asked0_0_2[8:0];
    bank_1_0_0_request <= asked0_0_2[17:9];
    bank_2_0_0_request <= asked0_0_2[26:18];
    bank_3_0_0_request <= asked0_0_2[35:27];
    if (arrived_late3) begin
      lane0_word <= fresh_late3 ? found0_0_2[15:0] : lane1_word;
      lane1_word <= fresh_late3 ? found0_0_2[31:16] : lane2_word;
      lane2_word <= fresh_late3 ? found0_0_2[47:32] : lane3_word;
      lane3_word <= found0_0_2[63:48];
    end
  end

  wire unused = &{1'b0, lane1_place0[1:0], lane2_place0[1:0], lane3_place0[1:0]};
endmodule

// Passes the parts of a buffer from its writer to its reader and back, in order.
//
// The writer pulses `reserve` with the first step of a tile, only while `free`, and `commit` with the tile's last word,
// only while `granted`; the reader pulses `retire` with the last step of a tile, only while `full`. `granted` falls
// with the commit of the last part granted; else the flags follow a pulse one cycle (and the spec's lag) later.
// `write_base` and `read_base` are the parts' first words; they move on one cycle after commit and retire. Parts free,
// granted, full and lagging are all the parts there are, at all times. Reset: all parts free.
module output_ping_pong (
  input  wire       clk,
  input  wire       rst,
  input  wire       reserve,
  input  wire       commit,
  input  wire       retire,
  output wire       free,
  output wire       granted,
  output wire       full,
  output reg  [6:0] write_base = 7'd0,
  output reg  [6:0] read_base = 7'd0
);
  reg [1:0] free_parts = 2'd2, granted_parts = 2'd0, full_parts = 2'd0;
  assign free = free_parts != 2'd0;
  assign granted = granted_parts > {1'd0, commit};
  assign full = full_parts != 2'd0;

  always @(posedge clk) begin
    if (retire & ~reserve) free_parts <= free_parts + 2'd1;
    else if (reserve & ~retire) free_parts <= free_parts - 2'd1;
    if (reserve & ~commit) granted_parts <= granted_parts + 2'd1;
    else if (commit & ~reserve) granted_parts <= granted_parts - 2'd1;
    if (commit & ~retire) full_parts <= full_parts + 2'd1;
    else if (retire & ~commit) full_parts <= full_parts - 2'd1;
    if (commit) begin
      if (write_base == 7'd108) write_base <= 7'd0;
      else write_base <= write_base + 7'd108;
    end
    if (retire) begin
      if (read_base == 7'd108) read_base <= 7'd0;
      else read_base <= read_base + 7'd108;
    end
    if (rst) begin
      free_parts <= 2'd2;
      granted_parts <= 2'd0;
      full_parts <= 2'd0;
      write_base <= 7'd0;
      read_base <= 7'd0;
    end
  end
endmodule

// Starts the processes, knows when they are done, and stops them on `abort`.
//
// `start` is taken in a cycle with `idle`: `go` in that cycle, `running` from the next one on. A cycle after
// `finished`, `running` falls and `done` rises until the next `go`; posted writes must have settled for both. A tensor
// that is written by a posted port is asked for only when its words have settled. `abort` counts while `running`, but
// not in a cycle with `finished`. From the next cycle on the ports offer nothing new; what a port has offered already
// stays there until it is accepted, and every answer is taken. When nothing is offered any more, `reset` holds all
// processes in reset until no answer is outstanding; then the accelerator is idle, and not done. So nothing inside
// needs to know of an abort. A port's `offer` and `take` are its process's; `valid`, `ready` and so on are its own.
// Answers come a cycle after their request or later. Reset: idle, not done, no answer outstanding.
module output_control (
  input  wire clk,
  input  wire rst,
  input  wire start,
  input  wire abort,
  input  wire finished,
  output wire go,
  output reg  running = 1'd0,
  output wire idle,
  output reg  done = 1'd0,
  output reg  reset = 1'd0,
  input  wire input_req_offer,
  input  wire input_req_ready,
  output wire input_req_valid,
  input  wire w_req_offer,
  input  wire w_req_ready,
  output wire w_req_valid,
  input  wire output_offer,
  input  wire output_ready,
  output wire output_valid,
  input  wire input_take,
  input  wire input_resp_valid,
  output wire input_resp_ready,
  input  wire w_take,
  input  wire w_resp_valid,
  output wire w_resp_ready
);
  reg input_req_waiting = 1'd0, w_req_waiting = 1'd0, output_waiting = 1'd0, aborting = 1'd0;
  reg [9:0] input_outstanding = 10'd0;
  reg [7:0] w_outstanding = 8'd0;
  assign input_req_valid = input_req_offer & (~aborting | input_req_waiting);
  assign w_req_valid = w_req_offer & (~aborting | w_req_waiting);
  assign output_valid = output_offer & (~aborting | output_waiting);
  wire input_asked = input_req_valid & input_req_ready;
  assign input_resp_ready = input_take | aborting;
  wire input_taken = input_resp_valid & input_resp_ready;
  wire w_asked = w_req_valid & w_req_ready;
  assign w_resp_ready = w_take | aborting;
  wire w_taken = w_resp_valid & w_resp_ready;
  assign idle = ~running;
  assign go = start & idle;

  always @(posedge clk) begin
    input_req_waiting <= input_req_valid & ~input_req_ready;
    w_req_waiting <= w_req_valid & ~w_req_ready;
    output_waiting <= output_valid & ~output_ready;
    if (input_asked ^ input_taken) input_outstanding <= input_outstanding + (input_taken ? 10'd1023 : 10'd1);
    if (w_asked ^ w_taken) w_outstanding <= w_outstanding + (w_taken ? 8'd255 : 8'd1);
    if (go) begin
      running <= 1'd1;
      done <= 1'd0;
    end else if (reset & (~(|{w_outstanding, input_outstanding}))) begin
      running <= 1'd0;
      aborting <= 1'd0;
      reset <= 1'd0;
    end else if (aborting) begin
      reset <= reset | (~(|{output_waiting, w_req_waiting, input_req_waiting}));
    end else if (running & finished) begin
      running <= 1'd0;
      done <= 1'd1;
    end else if (running & abort) begin
      aborting <= 1'd1;
    end
    if (rst) begin
      input_req_waiting <= 1'd0;
      w_req_waiting <= 1'd0;
      output_waiting <= 1'd0;
      input_outstanding <= 10'd0;
      w_outstanding <= 8'd0;
      running <= 1'd0;
      done <= 1'd0;
      aborting <= 1'd0;
      reset <= 1'd0;
    end
  end
endmodule

// A memory with one write port and one read port: synchronous, read latency 2 (a register behind the array, whose
// own delay is long), no reset. No user needs a word that is read in the cycle in which it is written: the parts of
// a buffer and forwarding of sums see to that, so synthesis need not guard its old value (`no_rw_check`).
module output_ram #(
    parameter WIDTH = 16,
    parameter DEPTH = 1,
    parameter ADDRESS = 1
) (
    input  wire               clk,
    input  wire               write_enable,
    input  wire [ADDRESS-1:0] write_address,
    input  wire [WIDTH-1:0]   write_data,
    input  wire               read_enable,
    input  wire [ADDRESS-1:0] read_address,
    output reg  [WIDTH-1:0]   read_data
);
  (* no_rw_check *)
  reg [WIDTH-1:0] words[0:DEPTH-1];
  reg [WIDTH-1:0] word;
  always @(posedge clk) begin
    if (write_enable) words[write_address] <= write_data;
    if (read_enable) word <= words[read_address];
    read_data <= word;
  end
endmodule

// `q` is `d`, DEPTH (at least 1) cycles later. No reset.
module output_delay #(
    parameter WIDTH = 1,
    parameter DEPTH = 1
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
  reg [WIDTH*DEPTH-1:0] stages;
  generate
    if (DEPTH == 1) begin : one
      always @(posedge clk) stages <= d;
    end else begin : many
      always @(posedge clk) stages <= {stages[WIDTH*(DEPTH-1)-1:0], d};
    end
  endgenerate
  assign q = stages[WIDTH*DEPTH-1:WIDTH*(DEPTH-1)];
endmodule

// `q` is `d`, DEPTH (at least 1) cycles later; zero after reset.
module output_delay_reset #(
    parameter WIDTH = 1,
    parameter DEPTH = 1
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
  reg [WIDTH*DEPTH-1:0] stages = {WIDTH * DEPTH{1'b0}};
  generate
    if (DEPTH == 1) begin : one
      always @(posedge clk)
        if (rst) stages <= {WIDTH{1'b0}};
        else stages <= d;
    end else begin : many
      always @(posedge clk)
        if (rst) stages <= {WIDTH * DEPTH{1'b0}};
        else stages <= {stages[WIDTH*(DEPTH-1)-1:0], d};
    end
  endgenerate
  assign q = stages[WIDTH*DEPTH-1:WIDTH*(DEPTH-1)];
endmodule
