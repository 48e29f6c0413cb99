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

// A whole accelerator: see `microarch.interface` for its ports.
module output_accelerator(input_req_ready, input_resp_valid, input_resp_data, w_req_ready, w_resp_valid, w_resp_data, output_ready, clk, rst, done, input_req_valid, input_req_addr, input_resp_ready, w_req_valid, w_req_addr, w_resp_ready, output_valid, output_addr, output_data, cycles, steps
, input_words, w_words, output_words, start);
  wire n1;
  wire n10;
  wire [48:0] n11;
  wire n12;
  reg [47:0] n15;
  reg [47:0] n16;
  reg [47:0] n17;
  reg [47:0] n18;
  reg [47:0] n19;
  wire [1:0] n2;
  wire n3;
  wire [48:0] n4;
  wire [48:0] n5;
  wire n6;
  wire [48:0] n7;
  wire n8;
  wire [48:0] n9;
  wire acc_address_late4;
  reg acc_at = 1'h0;
  wire acc_first_late5;
  wire acc_valid_late5;
  wire array_acc_address;
  wire array_acc_first;
  wire array_acc_valid;
  wire array_drain_address;
  wire [31:0] array_drain_data;
  wire [1:0] array_drain_xi_lane;
  wire [63:0] array_read0;
  wire [15:0] array_read1;
  input clk;
  output [47:0] cycles;
  reg [47:0] cycles = 48'h000000000000;
  output done;
  reg done = 1'h0;
  wire finished;
  wire go;
  wire input_in_commit;
  wire input_in_free;
  wire input_in_full;
  wire input_in_granted;
  wire input_in_load_commit;
  wire input_in_load_free;
  wire input_in_load_granted;
  wire [10:0] input_in_load_req_addr;
  wire input_in_load_req_ready;
  wire input_in_load_req_valid;
  wire input_in_load_reserve;
  wire [15:0] input_in_load_resp_data;
  wire input_in_load_resp_ready;
  wire input_in_load_resp_valid;
  wire input_in_load_start;
  wire [6:0] input_in_load_w_address;
  wire [15:0] input_in_load_w_data;
  wire [1:0] input_in_load_w_digit0;
  wire input_in_load_w_valid;
  wire [6:0] input_in_r_address;
  wire [63:0] input_in_r_data;
  wire input_in_r_fresh;
  wire [3:0] input_in_r_place0;
  wire input_in_r_step;
  wire input_in_reserve;
  wire input_in_retire;
  wire [6:0] input_in_w_address;
  wire [15:0] input_in_w_data;
  wire [1:0] input_in_w_digit0;
  wire input_in_w_valid;
  output [10:0] input_req_addr;
  input input_req_ready;
  output input_req_valid;
  input [15:0] input_resp_data;
  output input_resp_ready;
  input input_resp_valid;
  output [47:0] input_words;
  reg [47:0] input_words = 48'h000000000000;
  output [14:0] output_addr;
  output [31:0] output_data;
  input output_ready;
  output output_valid;
  output [47:0] output_words;
  reg [47:0] output_words = 48'h000000000000;
  wire [15:0] read1_late2;
  input rst;
  reg running = 1'h0;
  wire sequencer_acc_address;
  wire sequencer_commit;
  wire sequencer_first;
  wire sequencer_free;
  wire [6:0] sequencer_input_in_address;
  wire sequencer_input_in_fresh;
  wire sequencer_input_in_full;
  wire [3:0] sequencer_input_in_place0;
  wire sequencer_input_in_retire;
  wire sequencer_reserve;
  wire sequencer_start;
  wire sequencer_step;
  wire [6:0] sequencer_w_in_address;
  wire sequencer_w_in_full;
  wire sequencer_w_in_retire;
  input start;
  output [47:0] steps;
  reg [47:0] steps = 48'h000000000000;
  wire tiles_commit;
  wire tiles_free;
  wire tiles_full;
  wire tiles_read_base;
  wire tiles_reserve;
  wire tiles_retire;
  wire tiles_write_base;
  wire w_in_commit;
  wire w_in_free;
  wire w_in_full;
  wire w_in_granted;
  wire w_in_load_commit;
  wire w_in_load_free;
  wire w_in_load_granted;
  wire [12:0] w_in_load_req_addr;
  wire w_in_load_req_ready;
  wire w_in_load_req_valid;
  wire w_in_load_reserve;
  wire [15:0] w_in_load_resp_data;
  wire w_in_load_resp_ready;
  wire w_in_load_resp_valid;
  wire w_in_load_start;
  wire [6:0] w_in_load_w_address;
  wire [15:0] w_in_load_w_data;
  wire w_in_load_w_valid;
  wire [6:0] w_in_r_address;
  wire [15:0] w_in_r_data;
  wire w_in_r_step;
  wire w_in_reserve;
  wire w_in_retire;
  wire [6:0] w_in_w_address;
  wire [15:0] w_in_w_data;
  wire w_in_w_valid;
  output [12:0] w_req_addr;
  input w_req_ready;
  output w_req_valid;
  input [15:0] w_resp_data;
  output w_resp_ready;
  input w_resp_valid;
  output [47:0] w_words;
  reg [47:0] w_words = 48'h000000000000;
  wire [14:0] writer_addr;
  wire writer_base;
  wire [31:0] writer_data;
  wire writer_drain_address;
  wire [31:0] writer_drain_data;
  wire [1:0] writer_drain_xi_lane;
  wire writer_idle;
  wire writer_ready;
  wire writer_retire;
  wire writer_start;
  wire writer_tile_full;
  wire writer_valid;
  assign n1 = ~ running;
  assign go = start & n1;
  assign n2 = sequencer_acc_address + tiles_write_base;
  assign n3 = running & writer_idle;
  assign n4 = cycles + running;
  assign n5 = steps + input_in_r_step;
  assign n6 = input_req_valid & input_req_ready;
  assign n7 = input_words + n6;
  assign n8 = w_req_valid & w_req_ready;
  assign n9 = w_words + n8;
  assign n10 = output_valid & output_ready;
  assign n11 = output_words + n10;
  always @(posedge clk)
    acc_at <= n2[0];
  always @(posedge clk)
    cycles <= n15;
  always @(posedge clk)
    steps <= n16;
  always @(posedge clk)
    input_words <= n17;
  always @(posedge clk)
    w_words <= n18;
  always @(posedge clk)
    output_words <= n19;
  halidehw_delay #(
    .DEPTH(32'd4),
    .WIDTH(32'd1)
  ) acc_address_delay4 (
    .clk(clk),
    .d(acc_at),
    .q(array_acc_address)
  );
  halidehw_delay #(
    .DEPTH(32'd5),
    .WIDTH(32'd1)
  ) acc_first_delay5 (
    .clk(clk),
    .d(sequencer_first),
    .q(array_acc_first)
  );
  halidehw_delay_reset #(
    .DEPTH(32'd5),
    .WIDTH(32'd1)
  ) acc_valid_delay5 (
    .clk(clk),
    .d(input_in_r_step),
    .q(array_acc_valid),
    .rst(rst)
  );
  xi_lanes array (
    .acc_address(array_acc_address),
    .acc_first(array_acc_first),
    .acc_valid(array_acc_valid),
    .clk(clk),
    .drain_address(array_drain_address),
    .drain_data(writer_drain_data),
    .drain_xi_lane(array_drain_xi_lane),
    .read0(array_read0),
    .read1(array_read1),
    .rst(rst)
  );
  input_in_buffer input_in (
    .clk(clk),
    .commit(input_in_commit),
    .free(input_in_load_free),
    .full(sequencer_input_in_full),
    .granted(input_in_load_granted),
    .r_address(input_in_r_address),
    .r_data(array_read0),
    .r_fresh(input_in_r_fresh),
    .r_place0(input_in_r_place0),
    .r_step(input_in_r_step),
    .reserve(input_in_reserve),
    .retire(input_in_retire),
    .rst(rst),
    .w_address(input_in_w_address),
    .w_data(input_in_w_data),
    .w_digit0(input_in_w_digit0),
    .w_valid(input_in_w_valid)
  );
  input_in_load input_in_load (
    .clk(clk),
    .commit(input_in_commit),
    .free(input_in_load_free),
    .granted(input_in_load_granted),
    .req_addr(input_req_addr),
    .req_ready(input_req_ready),
    .req_valid(input_req_valid),
    .reserve(input_in_reserve),
    .resp_data(input_resp_data),
    .resp_ready(input_resp_ready),
    .resp_valid(input_resp_valid),
    .rst(rst),
    .start(go),
    .w_address(input_in_w_address),
    .w_data(input_in_w_data),
    .w_digit0(input_in_w_digit0),
    .w_valid(input_in_w_valid)
  );
  halidehw_delay #(
    .DEPTH(32'd2),
    .WIDTH(32'd16)
  ) read1_delay2 (
    .clk(clk),
    .d(w_in_r_data),
    .q(array_read1)
  );
  sequencer sequencer (
    .acc_address(sequencer_acc_address),
    .clk(clk),
    .commit(tiles_commit),
    .first(sequencer_first),
    .free(sequencer_free),
    .input_in_address(input_in_r_address),
    .input_in_fresh(input_in_r_fresh),
    .input_in_full(sequencer_input_in_full),
    .input_in_place0(input_in_r_place0),
    .input_in_retire(input_in_retire),
    .reserve(tiles_reserve),
    .rst(rst),
    .start(go),
    .step(input_in_r_step),
    .w_in_address(w_in_r_address),
    .w_in_full(sequencer_w_in_full),
    .w_in_retire(w_in_retire)
  );
  ping_pong_3 tiles (
    .clk(clk),
    .commit(tiles_commit),
    .free(sequencer_free),
    .full(writer_tile_full),
    .granted(n12),
    .read_base(writer_base),
    .reserve(tiles_reserve),
    .retire(tiles_retire),
    .rst(rst),
    .write_base(tiles_write_base)
  );
  w_in_buffer w_in (
    .clk(clk),
    .commit(w_in_commit),
    .free(w_in_load_free),
    .full(sequencer_w_in_full),
    .granted(w_in_load_granted),
    .r_address(w_in_r_address),
    .r_data(w_in_r_data),
    .r_step(input_in_r_step),
    .reserve(w_in_reserve),
    .retire(w_in_retire),
    .rst(rst),
    .w_address(w_in_w_address),
    .w_data(w_in_w_data),
    .w_valid(w_in_w_valid)
  );
  w_in_load w_in_load (
    .clk(clk),
    .commit(w_in_commit),
    .free(w_in_load_free),
    .granted(w_in_load_granted),
    .req_addr(w_req_addr),
    .req_ready(w_req_ready),
    .req_valid(w_req_valid),
    .reserve(w_in_reserve),
    .resp_data(w_resp_data),
    .resp_ready(w_resp_ready),
    .resp_valid(w_resp_valid),
    .rst(rst),
    .start(go),
    .w_address(w_in_w_address),
    .w_data(w_in_w_data),
    .w_valid(w_in_w_valid)
  );
  writer writer (
    .addr(output_addr),
    .base(writer_base),
    .clk(clk),
    .data(output_data),
    .drain_address(array_drain_address),
    .drain_data(writer_drain_data),
    .drain_xi_lane(array_drain_xi_lane),
    .idle(writer_idle),
    .ready(output_ready),
    .retire(tiles_retire),
    .rst(rst),
    .start(go),
    .tile_full(writer_tile_full),
    .valid(output_valid)
  );
  always @(posedge clk) begin
    if (go) begin
      running <= 1'h1;
    end else if (n3) begin
      running <= 1'h0;
    end
    if (rst) begin
      running <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (go) begin
      done <= 1'h0;
    end else if (n3) begin
      done <= 1'h1;
    end
    if (rst) begin
      done <= 1'h0;
    end
  end
  always @(*) begin
    if (go) begin
      n15 = 48'h000000000000;
    end else begin
      n15 = n4[47:0];
    end
    if (rst) begin
      n15 = 48'h000000000000;
    end
  end
  always @(*) begin
    if (go) begin
      n16 = 48'h000000000000;
    end else begin
      n16 = n5[47:0];
    end
    if (rst) begin
      n16 = 48'h000000000000;
    end
  end
  always @(*) begin
    if (go) begin
      n17 = 48'h000000000000;
    end else begin
      n17 = n7[47:0];
    end
    if (rst) begin
      n17 = 48'h000000000000;
    end
  end
  always @(*) begin
    if (go) begin
      n18 = 48'h000000000000;
    end else begin
      n18 = n9[47:0];
    end
    if (rst) begin
      n18 = 48'h000000000000;
    end
  end
  always @(*) begin
    if (go) begin
      n19 = 48'h000000000000;
    end else begin
      n19 = n11[47:0];
    end
    if (rst) begin
      n19 = 48'h000000000000;
    end
  end
  assign finished = done;
  assign input_in_load_start = go;
  assign input_in_load_req_valid = input_req_valid;
  assign input_in_load_req_addr = input_req_addr;
  assign input_in_load_resp_ready = input_resp_ready;
  assign input_in_load_req_ready = input_req_ready;
  assign input_in_load_resp_valid = input_resp_valid;
  assign input_in_load_resp_data = input_resp_data;
  assign input_in_free = input_in_load_free;
  assign input_in_granted = input_in_load_granted;
  assign input_in_load_reserve = input_in_reserve;
  assign input_in_load_commit = input_in_commit;
  assign input_in_load_w_valid = input_in_w_valid;
  assign input_in_load_w_address = input_in_w_address;
  assign input_in_load_w_data = input_in_w_data;
  assign input_in_load_w_digit0 = input_in_w_digit0;
  assign w_in_load_start = go;
  assign w_in_load_req_valid = w_req_valid;
  assign w_in_load_req_addr = w_req_addr;
  assign w_in_load_resp_ready = w_resp_ready;
  assign w_in_load_req_ready = w_req_ready;
  assign w_in_load_resp_valid = w_resp_valid;
  assign w_in_load_resp_data = w_resp_data;
  assign w_in_free = w_in_load_free;
  assign w_in_granted = w_in_load_granted;
  assign w_in_load_reserve = w_in_reserve;
  assign w_in_load_commit = w_in_commit;
  assign w_in_load_w_valid = w_in_w_valid;
  assign w_in_load_w_address = w_in_w_address;
  assign w_in_load_w_data = w_in_w_data;
  assign sequencer_start = go;
  assign sequencer_step = input_in_r_step;
  assign input_in_full = sequencer_input_in_full;
  assign sequencer_input_in_retire = input_in_retire;
  assign sequencer_input_in_address = input_in_r_address;
  assign sequencer_input_in_fresh = input_in_r_fresh;
  assign sequencer_input_in_place0 = input_in_r_place0;
  assign w_in_r_step = input_in_r_step;
  assign w_in_full = sequencer_w_in_full;
  assign sequencer_w_in_retire = w_in_retire;
  assign sequencer_w_in_address = w_in_r_address;
  assign input_in_r_data = array_read0;
  assign read1_late2 = array_read1;
  assign acc_valid_late5 = array_acc_valid;
  assign acc_first_late5 = array_acc_first;
  assign acc_address_late4 = array_acc_address;
  assign tiles_free = sequencer_free;
  assign sequencer_reserve = tiles_reserve;
  assign sequencer_commit = tiles_commit;
  assign writer_start = go;
  assign tiles_full = writer_tile_full;
  assign writer_retire = tiles_retire;
  assign tiles_read_base = writer_base;
  assign writer_drain_address = array_drain_address;
  assign array_drain_data = writer_drain_data;
  assign writer_drain_xi_lane = array_drain_xi_lane;
  assign writer_valid = output_valid;
  assign writer_addr = output_addr;
  assign writer_data = output_data;
  assign writer_ready = output_ready;
endmodule

// Drains tiles in the order of its walk, applies the final stage, and stores the words.
module writer(tile_full, base, drain_data, ready, clk, rst, retire, idle, drain_address, drain_xi_lane, valid, addr, data, start);
  wire n1;
  wire n2;
  wire n3;
  wire n4;
  wire [4:0] n5;
  wire n6;
  wire [5:0] n7;
  wire [1:0] n8;
  output [14:0] addr;
  wire [14:0] address_late5;
  wire arrival_late5;
  input base;
  input clk;
  output [31:0] data;
  output drain_address;
  reg drain_address = 1'h0;
  input [31:0] drain_data;
  output [1:0] drain_xi_lane;
  reg [1:0] drain_xi_lane = 2'h0;
  output idle;
  wire [46:0] r_data;
  wire r_en;
  wire r_rdy;
  input ready;
  output retire;
  input rst;
  input start;
  input tile_full;
  output valid;
  wire [46:0] w_data;
  wire w_en;
  wire [13:0] walk_address;
  wire walk_advance;
  wire walk_closes;
  wire [1:0] walk_drain_xi_lane;
  wire walk_start;
  wire walk_valid;
  wire walk_word;
  reg [3:0] words_pending = 4'h0;
  assign n1 = walk_valid & tile_full;
  assign n2 = words_pending != 4'h9;
  assign walk_advance = n1 & n2;
  assign n3 = ~ walk_valid;
  assign n4 = ! words_pending;
  assign idle = n3 & n4;
  assign retire = walk_advance & walk_closes;
  assign r_en = ready & valid;
  assign n5 = words_pending + walk_advance;
  assign n6 = valid & ready;
  assign n7 = n5 - n6;
  assign n8 = base + walk_word;
  halidehw_delay #(
    .DEPTH(32'd5),
    .WIDTH(32'd15)
  ) address_delay5 (
    .clk(clk),
    .d({ 1'h0, walk_address }),
    .q(address_late5)
  );
  halidehw_delay_reset #(
    .DEPTH(32'd5),
    .WIDTH(32'd1)
  ) arrival_delay5 (
    .clk(clk),
    .d(walk_advance),
    .q(w_en),
    .rst(rst)
  );
  writer__queue queue (
    .clk(clk),
    .port__0__5(drain_data),
    .port__14__0(address_late5),
    .r_data(r_data),
    .r_en(r_en),
    .r_rdy(valid),
    .rst(rst),
    .w_en(w_en)
  );
  writer_walk walk (
    .address(walk_address),
    .advance(walk_advance),
    .clk(clk),
    .closes(walk_closes),
    .drain_xi_lane(walk_drain_xi_lane),
    .rst(rst),
    .start(start),
    .valid(walk_valid),
    .word(walk_word)
  );
  always @(posedge clk) begin
    words_pending <= n7[3:0];
    if (rst) begin
      words_pending <= 4'h0;
    end
  end
  always @(posedge clk) begin
    drain_address <= n8[0];
    if (rst) begin
      drain_address <= 1'h0;
    end
  end
  always @(posedge clk) begin
    drain_xi_lane <= walk_drain_xi_lane;
    if (rst) begin
      drain_xi_lane <= 2'h0;
    end
  end
  assign walk_start = start;
  assign w_data = { drain_data, address_late5 };
  assign arrival_late5 = w_en;
  assign r_rdy = valid;
  assign addr = r_data[14:0];
  assign data = r_data[46:15];
endmodule

module writer__queue(clk, rst, r_en, port__14__0, r_data, w_en, r_rdy, port__0__5);
  wire n1;
  wire n10;
  wire n11;
  wire n12;
  wire n13;
  wire n14;
  wire n15;
  wire [4:0] n16;
  wire n17;
  wire n18;
  wire n19;
  wire n2;
  wire n20;
  wire n21;
  wire n22;
  wire [4:0] n23;
  wire n24;
  wire n25;
  wire n26;
  wire [4:0] n3;
  wire n4;
  wire [3:0] n5;
  wire n6;
  wire n7;
  wire n8;
  wire [3:0] n9;
  input clk;
  wire [2:0] consume;
  reg [3:0] inner_level = 4'h0;
  wire inner_r_rdy;
  wire [3:0] level;
  input [31:0] port__0__5;
  wire [31:0] port__0__5;
  input [14:0] port__14__0;
  wire [14:0] port__14__0;
  wire [2:0] produce;
  output [46:0] r_data;
  input r_en;
  wire [3:0] r_level;
  reg [2:0] r_port__addr = 3'h0;
  wire [46:0] r_port__data;
  wire r_port__en;
  output r_rdy;
  reg r_rdy = 1'h0;
  input rst;
  wire [46:0] w_data;
  input w_en;
  wire [3:0] w_level;
  reg [2:0] w_port__addr = 3'h0;
  wire [46:0] w_port__data;
  wire w_port__en;
  wire w_rdy;
  reg [46:0] storage [7:0];
  initial begin
    storage[0] = 47'h000000000000;
    storage[1] = 47'h000000000000;
    storage[2] = 47'h000000000000;
    storage[3] = 47'h000000000000;
    storage[4] = 47'h000000000000;
    storage[5] = 47'h000000000000;
    storage[6] = 47'h000000000000;
    storage[7] = 47'h000000000000;
  end
  always @(posedge clk) begin
    if (w_port__en)
      storage[w_port__addr] <= { port__0__5, port__14__0 };
  end
  reg [46:0] _0_;
  always @(posedge clk) begin
    if (r_port__en) begin
      _0_ <= storage[r_port__addr];
    end
  end
  assign r_data = _0_;
  assign w_rdy = inner_level != 4'h8;
  assign inner_r_rdy = | inner_level;
  assign w_port__en = w_rdy & w_en;
  assign n1 = ~ r_rdy;
  assign n2 = n1 | r_en;
  assign r_port__en = inner_r_rdy & n2;
  assign n3 = inner_level + r_rdy;
  assign n4 = w_rdy & w_en;
  assign n5 = w_port__addr + 1'h1;
  assign n6 = ~ r_rdy;
  assign n7 = n6 | r_en;
  assign n8 = inner_r_rdy & n7;
  assign n9 = r_port__addr + 1'h1;
  assign n10 = w_rdy & w_en;
  assign n11 = ~ r_rdy;
  assign n12 = n11 | r_en;
  assign n13 = inner_r_rdy & n12;
  assign n14 = ~ n13;
  assign n15 = n10 & n14;
  assign n16 = inner_level + 1'h1;
  assign n17 = ~ r_rdy;
  assign n18 = n17 | r_en;
  assign n19 = inner_r_rdy & n18;
  assign n20 = w_rdy & w_en;
  assign n21 = ~ n20;
  assign n22 = n19 & n21;
  assign n23 = inner_level - 1'h1;
  assign n24 = ~ r_rdy;
  assign n25 = n24 | r_en;
  assign n26 = inner_r_rdy & n25;
  always @(posedge clk) begin
    if (n4) begin
      w_port__addr <= n5[2:0];
    end
    if (rst) begin
      w_port__addr <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (n8) begin
      r_port__addr <= n9[2:0];
    end
    if (rst) begin
      r_port__addr <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (n15) begin
      inner_level <= n16[3:0];
    end
    if (n22) begin
      inner_level <= n23[3:0];
    end
    if (rst) begin
      inner_level <= 4'h0;
    end
  end
  always @(posedge clk) begin
    if (n26) begin
      r_rdy <= 1'h1;
    end else if (r_en) begin
      r_rdy <= 1'h0;
    end
    if (rst) begin
      r_rdy <= 1'h0;
    end
  end
  assign w_level = n3[3:0];
  assign level = n3[3:0];
  assign r_level = n3[3:0];
  assign produce = w_port__addr;
  assign w_port__data = { port__0__5, port__14__0 };
  assign w_data = { port__0__5, port__14__0 };
  assign consume = r_port__addr;
  assign r_port__data = r_data;
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
module writer_walk(advance, clk, rst, valid, address, word, drain_xi_lane, closes, start);
  wire [14:0] n1;
  wire [1:0] n10;
  wire n11;
  wire [3:0] n12;
  wire n13;
  wire [1:0] n14;
  wire n15;
  wire [1:0] n16;
  wire n17;
  wire [6:0] n18;
  wire n19;
  wire [14:0] n2;
  wire [14:0] n3;
  wire [14:0] n4;
  wire [14:0] n5;
  wire [14:0] n6;
  wire [2:0] n7;
  wire [2:0] n8;
  wire n9;
  output [13:0] address;
  reg [13:0] address = 14'h0000;
  reg [13:0] address_at_k = 14'h0000;
  wire [13:0] address_at_k_next;
  reg [13:0] address_at_xi = 14'h0000;
  wire [13:0] address_at_xi_lane;
  wire [13:0] address_at_xi_lane_next;
  wire [13:0] address_at_xi_next;
  reg [13:0] address_at_xo = 14'h0000;
  wire [13:0] address_at_xo_next;
  reg [13:0] address_at_yi = 14'h0000;
  wire [13:0] address_at_yi_next;
  reg [13:0] address_at_yo = 14'h0000;
  wire [13:0] address_at_yo_next;
  input advance;
  input clk;
  output closes;
  output [1:0] drain_xi_lane;
  reg [1:0] drain_xi_lane = 2'h0;
  wire [1:0] drain_xi_lane_at_xi_lane;
  wire [1:0] drain_xi_lane_at_xi_lane_next;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  wire k_more;
  reg k_zero = 1'h0;
  input rst;
  input start;
  output valid;
  reg valid = 1'h0;
  output word;
  reg xi_count = 1'h0;
  reg [1:0] xi_lane_count = 2'h0;
  reg xi_lane_last = 1'h0;
  wire xi_lane_more;
  reg xi_lane_zero = 1'h0;
  reg xi_last = 1'h0;
  wire xi_more;
  reg xi_zero = 1'h0;
  reg xo_count = 1'h0;
  reg xo_last = 1'h0;
  wire xo_more;
  reg xo_zero = 1'h0;
  reg [2:0] yi_count = 3'h0;
  reg yi_last = 1'h0;
  wire yi_more;
  reg yi_zero = 1'h0;
  reg yo_count = 1'h0;
  reg yo_last = 1'h0;
  wire yo_more;
  reg yo_zero = 1'h0;
  assign k_more = ~ k_last;
  assign yo_more = ~ yo_last;
  assign xo_more = ~ xo_last;
  assign yi_more = ~ yi_last;
  assign xi_more = ~ xi_last;
  assign xi_lane_more = ~ xi_lane_last;
  assign n1 = address_at_k + 9'h100;
  assign n2 = address_at_yo + 8'h80;
  assign n3 = address_at_xo + 4'h8;
  assign n4 = address_at_yi + 5'h10;
  assign n5 = address_at_xi + 3'h4;
  assign n6 = address + 1'h1;
  assign n7 = drain_xi_lane + 1'h1;
  assign n8 = xi_lane_count + 1'h1;
  assign n9 = xi_lane_count == 2'h2;
  assign n10 = xi_count + 1'h1;
  assign n11 = ! xi_count;
  assign n12 = yi_count + 1'h1;
  assign n13 = yi_count == 3'h6;
  assign n14 = xo_count + 1'h1;
  assign n15 = ! xo_count;
  assign n16 = yo_count + 1'h1;
  assign n17 = ! yo_count;
  assign n18 = k_count + 1'h1;
  assign n19 = k_count == 6'h3e;
  always @(posedge clk) begin
    if (start) begin
      xi_zero <= 1'h1;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
        xi_zero <= 1'h0;
      end else if (yi_more) begin
        xi_zero <= 1'h1;
      end else if (xo_more) begin
        xi_zero <= 1'h1;
      end else if (yo_more) begin
        xi_zero <= 1'h1;
      end else if (k_more) begin
        xi_zero <= 1'h1;
      end
    end
    if (rst) begin
      xi_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xi_last <= 1'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
        xi_last <= n11;
      end else if (yi_more) begin
        xi_last <= 1'h0;
      end else if (xo_more) begin
        xi_last <= 1'h0;
      end else if (yo_more) begin
        xi_last <= 1'h0;
      end else if (k_more) begin
        xi_last <= 1'h0;
      end
    end
    if (rst) begin
      xi_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xi_lane_count <= 2'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
        xi_lane_count <= n8[1:0];
      end else if (xi_more) begin
        xi_lane_count <= 2'h0;
      end else if (yi_more) begin
        xi_lane_count <= 2'h0;
      end else if (xo_more) begin
        xi_lane_count <= 2'h0;
      end else if (yo_more) begin
        xi_lane_count <= 2'h0;
      end else if (k_more) begin
        xi_lane_count <= 2'h0;
      end
    end
    if (rst) begin
      xi_lane_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xi_lane_zero <= 1'h1;
    end else if (advance) begin
      if (xi_lane_more) begin
        xi_lane_zero <= 1'h0;
      end else if (xi_more) begin
        xi_lane_zero <= 1'h1;
      end else if (yi_more) begin
        xi_lane_zero <= 1'h1;
      end else if (xo_more) begin
        xi_lane_zero <= 1'h1;
      end else if (yo_more) begin
        xi_lane_zero <= 1'h1;
      end else if (k_more) begin
        xi_lane_zero <= 1'h1;
      end
    end
    if (rst) begin
      xi_lane_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xi_lane_last <= 1'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
        xi_lane_last <= n9;
      end else if (xi_more) begin
        xi_lane_last <= 1'h0;
      end else if (yi_more) begin
        xi_lane_last <= 1'h0;
      end else if (xo_more) begin
        xi_lane_last <= 1'h0;
      end else if (yo_more) begin
        xi_lane_last <= 1'h0;
      end else if (k_more) begin
        xi_lane_last <= 1'h0;
      end
    end
    if (rst) begin
      xi_lane_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_k <= 14'h0000;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        address_at_k <= n1[13:0];
      end
    end
    if (rst) begin
      address_at_k <= 14'h0000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_yo <= 14'h0000;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        address_at_yo <= n2[13:0];
      end else if (k_more) begin
        address_at_yo <= n1[13:0];
      end
    end
    if (rst) begin
      address_at_yo <= 14'h0000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_xo <= 14'h0000;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
        address_at_xo <= n3[13:0];
      end else if (yo_more) begin
        address_at_xo <= n2[13:0];
      end else if (k_more) begin
        address_at_xo <= n1[13:0];
      end
    end
    if (rst) begin
      address_at_xo <= 14'h0000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_yi <= 14'h0000;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
        address_at_yi <= n4[13:0];
      end else if (xo_more) begin
        address_at_yi <= n3[13:0];
      end else if (yo_more) begin
        address_at_yi <= n2[13:0];
      end else if (k_more) begin
        address_at_yi <= n1[13:0];
      end
    end
    if (rst) begin
      address_at_yi <= 14'h0000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_xi <= 14'h0000;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
        address_at_xi <= n5[13:0];
      end else if (yi_more) begin
        address_at_xi <= n4[13:0];
      end else if (xo_more) begin
        address_at_xi <= n3[13:0];
      end else if (yo_more) begin
        address_at_xi <= n2[13:0];
      end else if (k_more) begin
        address_at_xi <= n1[13:0];
      end
    end
    if (rst) begin
      address_at_xi <= 14'h0000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address <= 14'h0000;
    end else if (advance) begin
      if (xi_lane_more) begin
        address <= n6[13:0];
      end else if (xi_more) begin
        address <= n5[13:0];
      end else if (yi_more) begin
        address <= n4[13:0];
      end else if (xo_more) begin
        address <= n3[13:0];
      end else if (yo_more) begin
        address <= n2[13:0];
      end else if (k_more) begin
        address <= n1[13:0];
      end
    end
    if (rst) begin
      address <= 14'h0000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      drain_xi_lane <= 2'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
        drain_xi_lane <= n7[1:0];
      end else if (xi_more) begin
        drain_xi_lane <= 2'h0;
      end else if (yi_more) begin
        drain_xi_lane <= 2'h0;
      end else if (xo_more) begin
        drain_xi_lane <= 2'h0;
      end else if (yo_more) begin
        drain_xi_lane <= 2'h0;
      end else if (k_more) begin
        drain_xi_lane <= 2'h0;
      end
    end
    if (rst) begin
      drain_xi_lane <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      valid <= 1'h1;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
      end else begin
        valid <= 1'h0;
      end
    end
    if (rst) begin
      valid <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_count <= 6'h00;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_count <= n18[5:0];
      end
    end
    if (rst) begin
      k_count <= 6'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_zero <= 1'h1;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_zero <= 1'h0;
      end
    end
    if (rst) begin
      k_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_last <= 1'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_last <= n19;
      end
    end
    if (rst) begin
      k_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_count <= 1'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_count <= n16[0];
      end else if (k_more) begin
        yo_count <= 1'h0;
      end
    end
    if (rst) begin
      yo_count <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_zero <= 1'h1;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_zero <= 1'h0;
      end else if (k_more) begin
        yo_zero <= 1'h1;
      end
    end
    if (rst) begin
      yo_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_last <= 1'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_last <= n17;
      end else if (k_more) begin
        yo_last <= 1'h0;
      end
    end
    if (rst) begin
      yo_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_count <= 1'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
        xo_count <= n14[0];
      end else if (yo_more) begin
        xo_count <= 1'h0;
      end else if (k_more) begin
        xo_count <= 1'h0;
      end
    end
    if (rst) begin
      xo_count <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_zero <= 1'h1;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
        xo_zero <= 1'h0;
      end else if (yo_more) begin
        xo_zero <= 1'h1;
      end else if (k_more) begin
        xo_zero <= 1'h1;
      end
    end
    if (rst) begin
      xo_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_last <= 1'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
        xo_last <= n15;
      end else if (yo_more) begin
        xo_last <= 1'h0;
      end else if (k_more) begin
        xo_last <= 1'h0;
      end
    end
    if (rst) begin
      xo_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yi_count <= 3'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
        yi_count <= n12[2:0];
      end else if (xo_more) begin
        yi_count <= 3'h0;
      end else if (yo_more) begin
        yi_count <= 3'h0;
      end else if (k_more) begin
        yi_count <= 3'h0;
      end
    end
    if (rst) begin
      yi_count <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yi_zero <= 1'h1;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
        yi_zero <= 1'h0;
      end else if (xo_more) begin
        yi_zero <= 1'h1;
      end else if (yo_more) begin
        yi_zero <= 1'h1;
      end else if (k_more) begin
        yi_zero <= 1'h1;
      end
    end
    if (rst) begin
      yi_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yi_last <= 1'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
        yi_last <= n13;
      end else if (xo_more) begin
        yi_last <= 1'h0;
      end else if (yo_more) begin
        yi_last <= 1'h0;
      end else if (k_more) begin
        yi_last <= 1'h0;
      end
    end
    if (rst) begin
      yi_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xi_count <= 1'h0;
    end else if (advance) begin
      if (xi_lane_more) begin
      end else if (xi_more) begin
        xi_count <= n10[0];
      end else if (yi_more) begin
        xi_count <= 1'h0;
      end else if (xo_more) begin
        xi_count <= 1'h0;
      end else if (yo_more) begin
        xi_count <= 1'h0;
      end else if (k_more) begin
        xi_count <= 1'h0;
      end
    end
    if (rst) begin
      xi_count <= 1'h0;
    end
  end
  assign address_at_k_next = n1[13:0];
  assign address_at_yo_next = n2[13:0];
  assign address_at_xo_next = n3[13:0];
  assign address_at_yi_next = n4[13:0];
  assign address_at_xi_next = n5[13:0];
  assign address_at_xi_lane_next = n6[13:0];
  assign address_at_xi_lane = address;
  assign drain_xi_lane_at_xi_lane_next = n7[1:0];
  assign drain_xi_lane_at_xi_lane = drain_xi_lane;
  assign word = 1'h0;
  assign closes = xi_lane_last;
endmodule

// Passes the parts of a buffer from its writer to its reader and back, in order.
module ping_pong_3(commit, retire, clk, rst, free, granted, full, write_base, read_base, reserve);
  wire n1;
  wire n10;
  wire [2:0] n11;
  wire [2:0] n12;
  wire n13;
  wire n14;
  wire n15;
  wire n16;
  wire [2:0] n17;
  wire [2:0] n18;
  wire n19;
  wire n2;
  wire [1:0] n20;
  wire n21;
  wire [1:0] n22;
  wire n3;
  wire n4;
  wire [2:0] n5;
  wire [2:0] n6;
  wire n7;
  wire n8;
  wire n9;
  input clk;
  input commit;
  wire emptied_late4;
  wire filled_late13;
  output free;
  reg [1:0] free_parts = 2'h2;
  output full;
  reg [1:0] full_parts = 2'h0;
  output granted;
  reg [1:0] granted_parts = 2'h0;
  output read_base;
  reg read_base = 1'h0;
  input reserve;
  input retire;
  input rst;
  output write_base;
  reg write_base = 1'h0;
  assign free = | free_parts;
  assign granted = granted_parts > commit;
  assign full = | full_parts;
  assign n1 = ~ reserve;
  assign n2 = emptied_late4 & n1;
  assign n3 = ~ emptied_late4;
  assign n4 = reserve & n3;
  assign n5 = free_parts + 1'h1;
  assign n6 = free_parts - 1'h1;
  assign n7 = ~ commit;
  assign n8 = reserve & n7;
  assign n9 = ~ reserve;
  assign n10 = commit & n9;
  assign n11 = granted_parts + 1'h1;
  assign n12 = granted_parts - 1'h1;
  assign n13 = ~ retire;
  assign n14 = filled_late13 & n13;
  assign n15 = ~ filled_late13;
  assign n16 = retire & n15;
  assign n17 = full_parts + 1'h1;
  assign n18 = full_parts - 1'h1;
  assign n20 = write_base + 1'h1;
  assign n22 = read_base + 1'h1;
  halidehw_delay_reset #(
    .DEPTH(32'd4),
    .WIDTH(32'd1)
  ) emptied_delay4 (
    .clk(clk),
    .d(retire),
    .q(emptied_late4),
    .rst(rst)
  );
  halidehw_delay_reset #(
    .DEPTH(32'd13),
    .WIDTH(32'd1)
  ) filled_delay13 (
    .clk(clk),
    .d(commit),
    .q(filled_late13),
    .rst(rst)
  );
  always @(posedge clk) begin
    if (n2) begin
      free_parts <= n5[1:0];
    end else if (n4) begin
      free_parts <= n6[1:0];
    end
    if (rst) begin
      free_parts <= 2'h2;
    end
  end
  always @(posedge clk) begin
    if (n8) begin
      granted_parts <= n11[1:0];
    end else if (n10) begin
      granted_parts <= n12[1:0];
    end
    if (rst) begin
      granted_parts <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (n14) begin
      full_parts <= n17[1:0];
    end else if (n16) begin
      full_parts <= n18[1:0];
    end
    if (rst) begin
      full_parts <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (commit) begin
      if (n19) begin
        write_base <= 1'h0;
      end else begin
        write_base <= n20[0];
      end
    end
    if (rst) begin
      write_base <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (retire) begin
      if (n21) begin
        read_base <= 1'h0;
      end else begin
        read_base <= n22[0];
      end
    end
    if (rst) begin
      read_base <= 1'h0;
    end
  end
  assign n19 = write_base;
  assign n21 = read_base;
endmodule

// The lanes of one output axis.
module xi_lanes(read1, acc_valid, acc_first, acc_address, drain_address, drain_xi_lane, clk, rst, drain_data, read0);
  reg [31:0] n1;
  input acc_address;
  input acc_first;
  input acc_valid;
  input clk;
  input drain_address;
  reg drain_address1 = 1'h0;
  output [31:0] drain_data;
  reg [31:0] drain_data = 32'd0;
  wire [31:0] drain_data1;
  input [1:0] drain_xi_lane;
  reg [1:0] drain_xi_lane1 = 2'h0;
  wire [1:0] drain_xi_lane_late2;
  wire [18:0] hop1_late1;
  wire [18:0] hop2_late1;
  wire [18:0] hop3_late1;
  wire [31:0] lane0_drain_data;
  wire [31:0] lane1_drain_data;
  wire [31:0] lane2_drain_data;
  wire [31:0] lane3_drain_data;
  input [63:0] read0;
  wire [15:0] read0_skew1_late1;
  wire [15:0] read0_skew2_late2;
  wire [15:0] read0_skew3_late3;
  input [15:0] read1;
  input rst;
  always @(posedge clk)
    drain_data <= n1;
  halidehw_delay #(
    .DEPTH(32'd2),
    .WIDTH(32'd2)
  ) drain_xi_lane_delay2 (
    .clk(clk),
    .d(drain_xi_lane1),
    .q(drain_xi_lane_late2)
  );
  halidehw_delay #(
    .DEPTH(32'd1),
    .WIDTH(32'd19)
  ) hop1_delay1 (
    .clk(clk),
    .d({ acc_address, acc_first, acc_valid, read1 }),
    .q(hop1_late1)
  );
  halidehw_delay #(
    .DEPTH(32'd1),
    .WIDTH(32'd19)
  ) hop2_delay1 (
    .clk(clk),
    .d(hop1_late1),
    .q(hop2_late1)
  );
  halidehw_delay #(
    .DEPTH(32'd1),
    .WIDTH(32'd19)
  ) hop3_delay1 (
    .clk(clk),
    .d(hop2_late1),
    .q(hop3_late1)
  );
  output_lane lane0 (
    .acc_address(acc_address),
    .acc_first(acc_first),
    .acc_valid(acc_valid),
    .clk(clk),
    .drain_address(drain_address1),
    .drain_data(lane0_drain_data),
    .read0(read0[15:0]),
    .read1(read1),
    .rst(rst)
  );
  output_lane lane1 (
    .acc_address(hop1_late1[18]),
    .acc_first(hop1_late1[17]),
    .acc_valid(hop1_late1[16]),
    .clk(clk),
    .drain_address(drain_address1),
    .drain_data(lane1_drain_data),
    .read0(read0_skew1_late1),
    .read1(hop1_late1[15:0]),
    .rst(rst)
  );
  output_lane lane2 (
    .acc_address(hop2_late1[18]),
    .acc_first(hop2_late1[17]),
    .acc_valid(hop2_late1[16]),
    .clk(clk),
    .drain_address(drain_address1),
    .drain_data(lane2_drain_data),
    .read0(read0_skew2_late2),
    .read1(hop2_late1[15:0]),
    .rst(rst)
  );
  output_lane lane3 (
    .acc_address(hop3_late1[18]),
    .acc_first(hop3_late1[17]),
    .acc_valid(hop3_late1[16]),
    .clk(clk),
    .drain_address(drain_address1),
    .drain_data(lane3_drain_data),
    .read0(read0_skew3_late3),
    .read1(hop3_late1[15:0]),
    .rst(rst)
  );
  halidehw_delay #(
    .DEPTH(32'd1),
    .WIDTH(32'd16)
  ) read0_skew1_delay1 (
    .clk(clk),
    .d(read0[31:16]),
    .q(read0_skew1_late1)
  );
  halidehw_delay #(
    .DEPTH(32'd2),
    .WIDTH(32'd16)
  ) read0_skew2_delay2 (
    .clk(clk),
    .d(read0[47:32]),
    .q(read0_skew2_late2)
  );
  halidehw_delay #(
    .DEPTH(32'd3),
    .WIDTH(32'd16)
  ) read0_skew3_delay3 (
    .clk(clk),
    .d(read0[63:48]),
    .q(read0_skew3_late3)
  );
  always @(*) begin
    casez (drain_xi_lane_late2)
      2'h0:
          n1 = lane0_drain_data;
      2'h1:
          n1 = lane1_drain_data;
      2'h2:
          n1 = lane2_drain_data;
      2'h3:
          n1 = lane3_drain_data;
    endcase
  end
  always @(posedge clk) begin
    drain_address1 <= drain_address;
    if (rst) begin
      drain_address1 <= 1'h0;
    end
  end
  always @(posedge clk) begin
    drain_xi_lane1 <= drain_xi_lane;
    if (rst) begin
      drain_xi_lane1 <= 2'h0;
    end
  end
  assign drain_data1 = drain_data;
endmodule

// One output lane: its reduction network and its accumulator.
module output_lane(read1, acc_valid, acc_first, acc_address, drain_address, clk, rst, drain_data, read0);
  input acc_address;
  input acc_first;
  input acc_valid;
  input clk;
  input drain_address;
  output [31:0] drain_data;
  wire [31:0] product_late2;
  wire [31:0] product_product;
  wire [15:0] product_read0;
  wire [15:0] product_read1;
  input [15:0] read0;
  input [15:0] read1;
  input rst;
  wire sums_address;
  wire sums_drain_address;
  wire [31:0] sums_drain_data;
  wire sums_first;
  wire sums_valid;
  wire [31:0] sums_value;
  pe product (
    .clk(clk),
    .product(product_product),
    .read0(read0),
    .read1(read1),
    .rst(rst)
  );
  halidehw_delay #(
    .DEPTH(32'd2),
    .WIDTH(32'd32)
  ) product_delay2 (
    .clk(clk),
    .d(product_product),
    .q(sums_value)
  );
  accumulator sums (
    .address(acc_address),
    .clk(clk),
    .drain_address(drain_address),
    .drain_data(drain_data),
    .first(acc_first),
    .rst(rst),
    .valid(acc_valid),
    .value(sums_value)
  );
  assign product_read0 = read0;
  assign product_read1 = read1;
  assign sums_valid = acc_valid;
  assign sums_first = acc_first;
  assign sums_address = acc_address;
  assign product_late2 = sums_value;
  assign sums_drain_address = drain_address;
  assign sums_drain_data = drain_data;
endmodule

// A memory of partial sums with a read-modify-write every cycle, at any sequence of addresses.
module accumulator(first, address, value, drain_address, clk, rst, drain_data, valid);
  wire [31:0] n1;
  wire n10;
  wire n11;
  wire n12;
  wire n13;
  wire n14;
  wire n15;
  wire n16;
  wire [31:0] n2;
  wire [31:0] n3;
  wire [31:0] n4;
  wire [31:0] n5;
  wire [32:0] n6;
  wire n7;
  wire n8;
  wire n9;
  input address;
  reg address1 = 1'h0;
  reg address2 = 1'h0;
  reg address3 = 1'h0;
  reg address4 = 1'h0;
  input clk;
  input drain_address;
  output [31:0] drain_data;
  wire [31:0] drained_word;
  input first;
  wire first_late2;
  input rst;
  wire same1_late3;
  wire same2_late2;
  wire same3_late2;
  wire same4_late2;
  reg [31:0] start = 32'd0;
  wire [31:0] sums_word;
  reg [31:0] total = 32'd0;
  wire [31:0] total3_late1;
  wire [31:0] total4_late2;
  input valid;
  reg valid1 = 1'h0;
  reg valid2 = 1'h0;
  reg valid3 = 1'h0;
  reg valid4 = 1'h0;
  input [31:0] value;
  assign n1 = same4_late2 ? total4_late2 : sums_word;
  assign n2 = same3_late2 ? total3_late1 : n1;
  assign n3 = same2_late2 ? total : n2;
  assign n4 = first_late2 ? 32'd0 : n3;
  assign n5 = same1_late3 ? total : start;
  assign n6 = $signed(n5) + $signed(value);
  assign n7 = address == address4;
  assign n8 = valid4 & n7;
  assign n9 = address == address3;
  assign n10 = valid3 & n9;
  assign n11 = address == address2;
  assign n12 = valid2 & n11;
  assign n13 = address == address1;
  assign n14 = valid1 & n13;
  assign n15 = ~ first;
  assign n16 = n14 & n15;
  always @(posedge clk)
    address1 <= address;
  always @(posedge clk)
    address2 <= address1;
  always @(posedge clk)
    address3 <= address2;
  always @(posedge clk)
    address4 <= address3;
  always @(posedge clk)
    start <= n4;
  always @(posedge clk)
    total <= n6[31:0];
  halidehw_ram #(
    .ADDRESS(32'd1),
    .DEPTH(32'd2),
    .WIDTH(32'd32)
  ) drained (
    .clk(clk),
    .read_address(drain_address),
    .read_data(drain_data),
    .read_enable(1'h1),
    .write_address(address4),
    .write_data(total),
    .write_enable(valid4)
  );
  halidehw_delay #(
    .DEPTH(32'd2),
    .WIDTH(32'd1)
  ) first_delay2 (
    .clk(clk),
    .d(first),
    .q(first_late2)
  );
  halidehw_delay #(
    .DEPTH(32'd3),
    .WIDTH(32'd1)
  ) same1_delay3 (
    .clk(clk),
    .d(n16),
    .q(same1_late3)
  );
  halidehw_delay #(
    .DEPTH(32'd2),
    .WIDTH(32'd1)
  ) same2_delay2 (
    .clk(clk),
    .d(n12),
    .q(same2_late2)
  );
  halidehw_delay #(
    .DEPTH(32'd2),
    .WIDTH(32'd1)
  ) same3_delay2 (
    .clk(clk),
    .d(n10),
    .q(same3_late2)
  );
  halidehw_delay #(
    .DEPTH(32'd2),
    .WIDTH(32'd1)
  ) same4_delay2 (
    .clk(clk),
    .d(n8),
    .q(same4_late2)
  );
  halidehw_ram #(
    .ADDRESS(32'd1),
    .DEPTH(32'd2),
    .WIDTH(32'd32)
  ) sums (
    .clk(clk),
    .read_address(address),
    .read_data(sums_word),
    .read_enable(valid),
    .write_address(address4),
    .write_data(total),
    .write_enable(valid4)
  );
  halidehw_delay #(
    .DEPTH(32'd1),
    .WIDTH(32'd32)
  ) total3_delay1 (
    .clk(clk),
    .d(total),
    .q(total3_late1)
  );
  halidehw_delay #(
    .DEPTH(32'd2),
    .WIDTH(32'd32)
  ) total4_delay2 (
    .clk(clk),
    .d(total),
    .q(total4_late2)
  );
  always @(posedge clk) begin
    valid1 <= valid;
    if (rst) begin
      valid1 <= 1'h0;
    end
  end
  always @(posedge clk) begin
    valid2 <= valid1;
    if (rst) begin
      valid2 <= 1'h0;
    end
  end
  always @(posedge clk) begin
    valid3 <= valid2;
    if (rst) begin
      valid3 <= 1'h0;
    end
  end
  always @(posedge clk) begin
    valid4 <= valid3;
    if (rst) begin
      valid4 <= 1'h0;
    end
  end
  assign drained_word = drain_data;
endmodule

// One multiplier's worth of the array: register files and the expression of one iteration.
module pe(read1, clk, rst, product, read0);
  wire [31:0] n1;
  input clk;
  wire [31:0] mul1;
  output [31:0] product;
  reg [31:0] product = 32'd0;
  input [15:0] read0;
  input [15:0] read1;
  input rst;
  assign n1 = $signed(read0) * $signed(read1);
  always @(posedge clk)
    product <= n1;
  assign mul1 = product;
endmodule

// Issues one step of the array per cycle while every operand's tile is there and, at the start of an output tile, an
// accumulator part is free. Addresses and flags of the step are on the outputs in the cycle of `step`. Reset: idle;
// starts with `start`.
module sequencer(free, input_in_full, w_in_full, clk, rst, step, reserve, commit, first, input_in_fresh, acc_address, input_in_address, input_in_place0, w_in_address, input_in_retire, w_in_retire, start);
  wire n1;
  wire n2;
  wire n3;
  wire n4;
  output acc_address;
  input clk;
  output commit;
  output first;
  input free;
  output [6:0] input_in_address;
  output input_in_fresh;
  input input_in_full;
  output [3:0] input_in_place0;
  output input_in_retire;
  output reserve;
  input rst;
  input start;
  output step;
  output [6:0] w_in_address;
  input w_in_full;
  output w_in_retire;
  wire walk_acc_address;
  wire walk_advance;
  wire walk_closes;
  wire walk_first;
  wire [6:0] walk_input_in_address;
  wire walk_input_in_fresh;
  wire walk_input_in_leaves;
  wire [3:0] walk_input_in_place0;
  wire walk_opens;
  wire walk_start;
  wire walk_valid;
  wire [6:0] walk_w_in_address;
  wire walk_w_in_leaves;
  assign n4 = n3 & input_in_full;
  assign step = n4 & w_in_full;
  assign reserve = step & walk_opens;
  assign commit = step & walk_closes;
  assign input_in_retire = step & walk_input_in_leaves;
  assign w_in_retire = step & walk_w_in_leaves;
  assign n1 = ~ walk_opens;
  assign n2 = free | n1;
  assign n3 = walk_valid & n2;
  array_walk walk (
    .acc_address(acc_address),
    .advance(step),
    .clk(clk),
    .closes(walk_closes),
    .first(first),
    .input_in_address(input_in_address),
    .input_in_fresh(input_in_fresh),
    .input_in_leaves(walk_input_in_leaves),
    .input_in_place0(input_in_place0),
    .opens(walk_opens),
    .rst(rst),
    .start(start),
    .valid(walk_valid),
    .w_in_address(w_in_address),
    .w_in_leaves(walk_w_in_leaves)
  );
  assign walk_advance = step;
  assign walk_start = start;
  assign walk_first = first;
  assign walk_acc_address = acc_address;
  assign walk_input_in_address = input_in_address;
  assign walk_input_in_place0 = input_in_place0;
  assign walk_w_in_address = w_in_address;
  assign walk_input_in_fresh = input_in_fresh;
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
module array_walk(advance, clk, rst, valid, acc_address, input_in_address, input_in_place0, w_in_address, closes, input_in_leaves, w_in_leaves, opens, first, input_in_fresh, start);
  wire [7:0] n1;
  wire n10;
  wire n11;
  wire n12;
  wire n13;
  wire n14;
  wire n15;
  wire n16;
  wire n17;
  wire n18;
  wire n19;
  wire [7:0] n2;
  wire n20;
  wire n21;
  wire n22;
  wire n23;
  wire n24;
  wire [3:0] n25;
  wire n26;
  wire [3:0] n27;
  wire n28;
  wire [2:0] n29;
  wire [7:0] n3;
  wire n30;
  wire [1:0] n31;
  wire n32;
  wire [3:0] n33;
  wire n34;
  wire [1:0] n35;
  wire n36;
  wire [1:0] n37;
  wire n38;
  wire [6:0] n39;
  wire [4:0] n4;
  wire n40;
  wire [4:0] n5;
  wire [7:0] n6;
  wire [7:0] n7;
  wire [7:0] n8;
  wire n9;
  output acc_address;
  input advance;
  input clk;
  output closes;
  output first;
  output [6:0] input_in_address;
  reg [6:0] input_in_address = 7'h00;
  wire [6:0] input_in_address_at_r_y;
  wire [6:0] input_in_address_at_r_y_next;
  reg [6:0] input_in_address_at_r_z = 7'h00;
  wire [6:0] input_in_address_at_r_z_next;
  reg [6:0] input_in_address_at_yi = 7'h00;
  wire [6:0] input_in_address_at_yi_next;
  output input_in_fresh;
  output input_in_leaves;
  output [3:0] input_in_place0;
  reg [3:0] input_in_place0 = 4'h0;
  wire [3:0] input_in_place0_at_r_x;
  wire [3:0] input_in_place0_at_r_x_next;
  reg [3:0] input_in_place0_at_xi = 4'h0;
  wire [3:0] input_in_place0_at_xi_next;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  wire k_more;
  reg k_zero = 1'h0;
  output opens;
  reg [2:0] r_x_count = 3'h0;
  reg r_x_last = 1'h0;
  wire r_x_more;
  reg r_x_zero = 1'h0;
  reg [2:0] r_y_count = 3'h0;
  reg r_y_last = 1'h0;
  wire r_y_more;
  reg r_y_zero = 1'h0;
  reg [1:0] r_z_count = 2'h0;
  reg r_z_last = 1'h0;
  wire r_z_more;
  reg r_z_zero = 1'h0;
  input rst;
  input start;
  output valid;
  reg valid = 1'h0;
  output [6:0] w_in_address;
  reg [6:0] w_in_address = 7'h00;
  wire [6:0] w_in_address_at_r_x;
  wire [6:0] w_in_address_at_r_x_next;
  reg [6:0] w_in_address_at_r_y = 7'h00;
  wire [6:0] w_in_address_at_r_y_next;
  reg [6:0] w_in_address_at_r_z = 7'h00;
  wire [6:0] w_in_address_at_r_z_next;
  output w_in_leaves;
  reg xi_count = 1'h0;
  reg xi_last = 1'h0;
  wire xi_more;
  reg xi_zero = 1'h0;
  reg xo_count = 1'h0;
  reg xo_last = 1'h0;
  wire xo_more;
  reg xo_zero = 1'h0;
  reg [2:0] yi_count = 3'h0;
  reg yi_last = 1'h0;
  wire yi_more;
  reg yi_zero = 1'h0;
  reg yo_count = 1'h0;
  reg yo_last = 1'h0;
  wire yo_more;
  reg yo_zero = 1'h0;
  assign n17 = n16 & yi_last;
  assign n18 = n17 & xi_last;
  assign n19 = n18 & r_z_last;
  assign n20 = n19 & r_y_last;
  assign w_in_leaves = n20 & r_x_last;
  assign n22 = n21 & r_y_zero;
  assign opens = n22 & r_x_zero;
  assign n24 = n23 & r_y_zero;
  assign first = n24 & r_x_zero;
  assign n25 = r_x_count + 1'h1;
  assign n26 = r_x_count == 2'h3;
  assign n27 = r_y_count + 1'h1;
  assign n28 = r_y_count == 2'h3;
  assign n29 = r_z_count + 1'h1;
  assign n30 = r_z_count == 1'h1;
  assign n31 = xi_count + 1'h1;
  assign n32 = ! xi_count;
  assign n33 = yi_count + 1'h1;
  assign n34 = yi_count == 3'h6;
  assign n35 = xo_count + 1'h1;
  assign n36 = ! xo_count;
  assign n37 = yo_count + 1'h1;
  assign n38 = ! yo_count;
  assign n39 = k_count + 1'h1;
  assign n40 = k_count == 6'h3e;
  assign k_more = ~ k_last;
  assign yo_more = ~ yo_last;
  assign xo_more = ~ xo_last;
  assign yi_more = ~ yi_last;
  assign xi_more = ~ xi_last;
  assign r_z_more = ~ r_z_last;
  assign r_y_more = ~ r_y_last;
  assign r_x_more = ~ r_x_last;
  assign n1 = input_in_address_at_yi + 2'h3;
  assign n2 = input_in_address_at_r_z + 6'h24;
  assign n3 = input_in_address + 2'h3;
  assign n4 = input_in_place0_at_xi + 3'h4;
  assign n5 = input_in_place0 + 1'h1;
  assign n6 = w_in_address_at_r_z + 5'h19;
  assign n7 = w_in_address_at_r_y + 3'h5;
  assign n8 = w_in_address + 1'h1;
  assign n10 = n9 & r_y_last;
  assign closes = n10 & r_x_last;
  assign n12 = n11 & xi_last;
  assign n13 = n12 & r_z_last;
  assign n14 = n13 & r_y_last;
  assign input_in_leaves = n14 & r_x_last;
  assign n16 = n15 & xo_last;
  always @(posedge clk) begin
    if (start) begin
      valid <= 1'h1;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
      end else begin
        valid <= 1'h0;
      end
    end
    if (rst) begin
      valid <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_count <= 6'h00;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_count <= n39[5:0];
      end
    end
    if (rst) begin
      k_count <= 6'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_zero <= 1'h1;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_zero <= 1'h0;
      end
    end
    if (rst) begin
      k_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_last <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_last <= n40;
      end
    end
    if (rst) begin
      k_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_count <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_count <= n37[0];
      end else if (k_more) begin
        yo_count <= 1'h0;
      end
    end
    if (rst) begin
      yo_count <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_zero <= 1'h1;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_zero <= 1'h0;
      end else if (k_more) begin
        yo_zero <= 1'h1;
      end
    end
    if (rst) begin
      yo_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_last <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_last <= n38;
      end else if (k_more) begin
        yo_last <= 1'h0;
      end
    end
    if (rst) begin
      yo_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_count <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
        xo_count <= n35[0];
      end else if (yo_more) begin
        xo_count <= 1'h0;
      end else if (k_more) begin
        xo_count <= 1'h0;
      end
    end
    if (rst) begin
      xo_count <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_zero <= 1'h1;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
        xo_zero <= 1'h0;
      end else if (yo_more) begin
        xo_zero <= 1'h1;
      end else if (k_more) begin
        xo_zero <= 1'h1;
      end
    end
    if (rst) begin
      xo_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_last <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
      end else if (xo_more) begin
        xo_last <= n36;
      end else if (yo_more) begin
        xo_last <= 1'h0;
      end else if (k_more) begin
        xo_last <= 1'h0;
      end
    end
    if (rst) begin
      xo_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yi_count <= 3'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
        yi_count <= n33[2:0];
      end else if (xo_more) begin
        yi_count <= 3'h0;
      end else if (yo_more) begin
        yi_count <= 3'h0;
      end else if (k_more) begin
        yi_count <= 3'h0;
      end
    end
    if (rst) begin
      yi_count <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yi_zero <= 1'h1;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
        yi_zero <= 1'h0;
      end else if (xo_more) begin
        yi_zero <= 1'h1;
      end else if (yo_more) begin
        yi_zero <= 1'h1;
      end else if (k_more) begin
        yi_zero <= 1'h1;
      end
    end
    if (rst) begin
      yi_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yi_last <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
        yi_last <= n34;
      end else if (xo_more) begin
        yi_last <= 1'h0;
      end else if (yo_more) begin
        yi_last <= 1'h0;
      end else if (k_more) begin
        yi_last <= 1'h0;
      end
    end
    if (rst) begin
      yi_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xi_count <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
        xi_count <= n31[0];
      end else if (yi_more) begin
        xi_count <= 1'h0;
      end else if (xo_more) begin
        xi_count <= 1'h0;
      end else if (yo_more) begin
        xi_count <= 1'h0;
      end else if (k_more) begin
        xi_count <= 1'h0;
      end
    end
    if (rst) begin
      xi_count <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xi_zero <= 1'h1;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
        xi_zero <= 1'h0;
      end else if (yi_more) begin
        xi_zero <= 1'h1;
      end else if (xo_more) begin
        xi_zero <= 1'h1;
      end else if (yo_more) begin
        xi_zero <= 1'h1;
      end else if (k_more) begin
        xi_zero <= 1'h1;
      end
    end
    if (rst) begin
      xi_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xi_last <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
        xi_last <= n32;
      end else if (yi_more) begin
        xi_last <= 1'h0;
      end else if (xo_more) begin
        xi_last <= 1'h0;
      end else if (yo_more) begin
        xi_last <= 1'h0;
      end else if (k_more) begin
        xi_last <= 1'h0;
      end
    end
    if (rst) begin
      xi_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      r_z_count <= 2'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
        r_z_count <= n29[1:0];
      end else if (xi_more) begin
        r_z_count <= 2'h0;
      end else if (yi_more) begin
        r_z_count <= 2'h0;
      end else if (xo_more) begin
        r_z_count <= 2'h0;
      end else if (yo_more) begin
        r_z_count <= 2'h0;
      end else if (k_more) begin
        r_z_count <= 2'h0;
      end
    end
    if (rst) begin
      r_z_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      r_z_zero <= 1'h1;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
        r_z_zero <= 1'h0;
      end else if (xi_more) begin
        r_z_zero <= 1'h1;
      end else if (yi_more) begin
        r_z_zero <= 1'h1;
      end else if (xo_more) begin
        r_z_zero <= 1'h1;
      end else if (yo_more) begin
        r_z_zero <= 1'h1;
      end else if (k_more) begin
        r_z_zero <= 1'h1;
      end
    end
    if (rst) begin
      r_z_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      r_z_last <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
        r_z_last <= n30;
      end else if (xi_more) begin
        r_z_last <= 1'h0;
      end else if (yi_more) begin
        r_z_last <= 1'h0;
      end else if (xo_more) begin
        r_z_last <= 1'h0;
      end else if (yo_more) begin
        r_z_last <= 1'h0;
      end else if (k_more) begin
        r_z_last <= 1'h0;
      end
    end
    if (rst) begin
      r_z_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      r_y_count <= 3'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
        r_y_count <= n27[2:0];
      end else if (r_z_more) begin
        r_y_count <= 3'h0;
      end else if (xi_more) begin
        r_y_count <= 3'h0;
      end else if (yi_more) begin
        r_y_count <= 3'h0;
      end else if (xo_more) begin
        r_y_count <= 3'h0;
      end else if (yo_more) begin
        r_y_count <= 3'h0;
      end else if (k_more) begin
        r_y_count <= 3'h0;
      end
    end
    if (rst) begin
      r_y_count <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      r_y_zero <= 1'h1;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
        r_y_zero <= 1'h0;
      end else if (r_z_more) begin
        r_y_zero <= 1'h1;
      end else if (xi_more) begin
        r_y_zero <= 1'h1;
      end else if (yi_more) begin
        r_y_zero <= 1'h1;
      end else if (xo_more) begin
        r_y_zero <= 1'h1;
      end else if (yo_more) begin
        r_y_zero <= 1'h1;
      end else if (k_more) begin
        r_y_zero <= 1'h1;
      end
    end
    if (rst) begin
      r_y_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      r_y_last <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
        r_y_last <= n28;
      end else if (r_z_more) begin
        r_y_last <= 1'h0;
      end else if (xi_more) begin
        r_y_last <= 1'h0;
      end else if (yi_more) begin
        r_y_last <= 1'h0;
      end else if (xo_more) begin
        r_y_last <= 1'h0;
      end else if (yo_more) begin
        r_y_last <= 1'h0;
      end else if (k_more) begin
        r_y_last <= 1'h0;
      end
    end
    if (rst) begin
      r_y_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      r_x_count <= 3'h0;
    end else if (advance) begin
      if (r_x_more) begin
        r_x_count <= n25[2:0];
      end else if (r_y_more) begin
        r_x_count <= 3'h0;
      end else if (r_z_more) begin
        r_x_count <= 3'h0;
      end else if (xi_more) begin
        r_x_count <= 3'h0;
      end else if (yi_more) begin
        r_x_count <= 3'h0;
      end else if (xo_more) begin
        r_x_count <= 3'h0;
      end else if (yo_more) begin
        r_x_count <= 3'h0;
      end else if (k_more) begin
        r_x_count <= 3'h0;
      end
    end
    if (rst) begin
      r_x_count <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      r_x_zero <= 1'h1;
    end else if (advance) begin
      if (r_x_more) begin
        r_x_zero <= 1'h0;
      end else if (r_y_more) begin
        r_x_zero <= 1'h1;
      end else if (r_z_more) begin
        r_x_zero <= 1'h1;
      end else if (xi_more) begin
        r_x_zero <= 1'h1;
      end else if (yi_more) begin
        r_x_zero <= 1'h1;
      end else if (xo_more) begin
        r_x_zero <= 1'h1;
      end else if (yo_more) begin
        r_x_zero <= 1'h1;
      end else if (k_more) begin
        r_x_zero <= 1'h1;
      end
    end
    if (rst) begin
      r_x_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      r_x_last <= 1'h0;
    end else if (advance) begin
      if (r_x_more) begin
        r_x_last <= n26;
      end else if (r_y_more) begin
        r_x_last <= 1'h0;
      end else if (r_z_more) begin
        r_x_last <= 1'h0;
      end else if (xi_more) begin
        r_x_last <= 1'h0;
      end else if (yi_more) begin
        r_x_last <= 1'h0;
      end else if (xo_more) begin
        r_x_last <= 1'h0;
      end else if (yo_more) begin
        r_x_last <= 1'h0;
      end else if (k_more) begin
        r_x_last <= 1'h0;
      end
    end
    if (rst) begin
      r_x_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_address_at_yi <= 7'h00;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
      end else if (yi_more) begin
        input_in_address_at_yi <= n1[6:0];
      end else if (xo_more) begin
        input_in_address_at_yi <= 7'h00;
      end else if (yo_more) begin
        input_in_address_at_yi <= 7'h00;
      end else if (k_more) begin
        input_in_address_at_yi <= 7'h00;
      end
    end
    if (rst) begin
      input_in_address_at_yi <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_address_at_r_z <= 7'h00;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
        input_in_address_at_r_z <= n2[6:0];
      end else if (xi_more) begin
        input_in_address_at_r_z <= input_in_address_at_yi;
      end else if (yi_more) begin
        input_in_address_at_r_z <= n1[6:0];
      end else if (xo_more) begin
        input_in_address_at_r_z <= 7'h00;
      end else if (yo_more) begin
        input_in_address_at_r_z <= 7'h00;
      end else if (k_more) begin
        input_in_address_at_r_z <= 7'h00;
      end
    end
    if (rst) begin
      input_in_address_at_r_z <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_address <= 7'h00;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
        input_in_address <= n3[6:0];
      end else if (r_z_more) begin
        input_in_address <= n2[6:0];
      end else if (xi_more) begin
        input_in_address <= input_in_address_at_yi;
      end else if (yi_more) begin
        input_in_address <= n1[6:0];
      end else if (xo_more) begin
        input_in_address <= 7'h00;
      end else if (yo_more) begin
        input_in_address <= 7'h00;
      end else if (k_more) begin
        input_in_address <= 7'h00;
      end
    end
    if (rst) begin
      input_in_address <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_place0_at_xi <= 4'h0;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
      end else if (xi_more) begin
        input_in_place0_at_xi <= n4[3:0];
      end else if (yi_more) begin
        input_in_place0_at_xi <= 4'h0;
      end else if (xo_more) begin
        input_in_place0_at_xi <= 4'h0;
      end else if (yo_more) begin
        input_in_place0_at_xi <= 4'h0;
      end else if (k_more) begin
        input_in_place0_at_xi <= 4'h0;
      end
    end
    if (rst) begin
      input_in_place0_at_xi <= 4'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_place0 <= 4'h0;
    end else if (advance) begin
      if (r_x_more) begin
        input_in_place0 <= n5[3:0];
      end else if (r_y_more) begin
        input_in_place0 <= input_in_place0_at_xi;
      end else if (r_z_more) begin
        input_in_place0 <= input_in_place0_at_xi;
      end else if (xi_more) begin
        input_in_place0 <= n4[3:0];
      end else if (yi_more) begin
        input_in_place0 <= 4'h0;
      end else if (xo_more) begin
        input_in_place0 <= 4'h0;
      end else if (yo_more) begin
        input_in_place0 <= 4'h0;
      end else if (k_more) begin
        input_in_place0 <= 4'h0;
      end
    end
    if (rst) begin
      input_in_place0 <= 4'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_address_at_r_z <= 7'h00;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
      end else if (r_z_more) begin
        w_in_address_at_r_z <= n6[6:0];
      end else if (xi_more) begin
        w_in_address_at_r_z <= 7'h00;
      end else if (yi_more) begin
        w_in_address_at_r_z <= 7'h00;
      end else if (xo_more) begin
        w_in_address_at_r_z <= 7'h00;
      end else if (yo_more) begin
        w_in_address_at_r_z <= 7'h00;
      end else if (k_more) begin
        w_in_address_at_r_z <= 7'h00;
      end
    end
    if (rst) begin
      w_in_address_at_r_z <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_address_at_r_y <= 7'h00;
    end else if (advance) begin
      if (r_x_more) begin
      end else if (r_y_more) begin
        w_in_address_at_r_y <= n7[6:0];
      end else if (r_z_more) begin
        w_in_address_at_r_y <= n6[6:0];
      end else if (xi_more) begin
        w_in_address_at_r_y <= 7'h00;
      end else if (yi_more) begin
        w_in_address_at_r_y <= 7'h00;
      end else if (xo_more) begin
        w_in_address_at_r_y <= 7'h00;
      end else if (yo_more) begin
        w_in_address_at_r_y <= 7'h00;
      end else if (k_more) begin
        w_in_address_at_r_y <= 7'h00;
      end
    end
    if (rst) begin
      w_in_address_at_r_y <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_address <= 7'h00;
    end else if (advance) begin
      if (r_x_more) begin
        w_in_address <= n8[6:0];
      end else if (r_y_more) begin
        w_in_address <= n7[6:0];
      end else if (r_z_more) begin
        w_in_address <= n6[6:0];
      end else if (xi_more) begin
        w_in_address <= 7'h00;
      end else if (yi_more) begin
        w_in_address <= 7'h00;
      end else if (xo_more) begin
        w_in_address <= 7'h00;
      end else if (yo_more) begin
        w_in_address <= 7'h00;
      end else if (k_more) begin
        w_in_address <= 7'h00;
      end
    end
    if (rst) begin
      w_in_address <= 7'h00;
    end
  end
  assign input_in_address_at_yi_next = n1[6:0];
  assign input_in_address_at_r_z_next = n2[6:0];
  assign input_in_address_at_r_y_next = n3[6:0];
  assign input_in_address_at_r_y = input_in_address;
  assign input_in_place0_at_xi_next = n4[3:0];
  assign input_in_place0_at_r_x_next = n5[3:0];
  assign input_in_place0_at_r_x = input_in_place0;
  assign w_in_address_at_r_z_next = n6[6:0];
  assign w_in_address_at_r_y_next = n7[6:0];
  assign w_in_address_at_r_x_next = n8[6:0];
  assign w_in_address_at_r_x = w_in_address;
  assign acc_address = 1'h0;
  assign n9 = r_z_last;
  assign n11 = yi_last;
  assign n15 = yo_last;
  assign n21 = r_z_zero;
  assign n23 = r_z_zero;
  assign input_in_fresh = r_x_zero;
endmodule

// Fills a memory from a port: one walk asks, an equal one takes the answers.
module w_in_load(req_ready, resp_valid, resp_data, free, granted, clk, rst, req_valid, req_addr, resp_ready, w_valid, w_data, w_address, reserve, commit, start);
  wire n1;
  wire n2;
  wire n3;
  wire n4;
  wire n5;
  wire n6;
  wire n7;
  wire n8;
  wire n9;
  wire allowed;
  wire [12:0] asking_address;
  wire asking_advance;
  wire asking_opens;
  wire asking_start;
  wire asking_valid;
  input clk;
  output commit;
  reg commit = 1'h0;
  wire expected;
  input free;
  input granted;
  output [12:0] req_addr;
  input req_ready;
  output req_valid;
  output reserve;
  input [15:0] resp_data;
  output resp_ready;
  input resp_valid;
  input rst;
  input start;
  wire taking_advance;
  wire taking_ends;
  wire taking_start;
  wire taking_valid;
  wire [6:0] taking_w_address;
  output [6:0] w_address;
  reg [6:0] w_address = 7'h00;
  output [15:0] w_data;
  reg [15:0] w_data = 16'h0000;
  output w_valid;
  reg w_valid = 1'h0;
  wire wanted;
  assign n1 = ~ asking_opens;
  assign n2 = free | n1;
  assign allowed = asking_valid & n2;
  assign asking_advance = allowed & n4;
  assign reserve = asking_advance & asking_opens;
  assign n5 = taking_valid & granted;
  assign n6 = taking_valid & granted;
  assign taking_advance = n6 & n8;
  assign n9 = taking_advance & taking_ends;
  w_in_load_request_walk asking (
    .address(req_addr),
    .advance(asking_advance),
    .clk(clk),
    .opens(asking_opens),
    .rst(rst),
    .start(start),
    .valid(asking_valid)
  );
  w_in_load_response_walk taking (
    .advance(taking_advance),
    .clk(clk),
    .ends(taking_ends),
    .rst(rst),
    .start(start),
    .valid(taking_valid),
    .w_address(taking_w_address)
  );
  always @(posedge clk) begin
    w_valid <= taking_advance;
    if (rst) begin
      w_valid <= 1'h0;
    end
  end
  always @(posedge clk) begin
    commit <= n9;
    if (rst) begin
      commit <= 1'h0;
    end
  end
  always @(posedge clk) begin
    w_data <= resp_data;
    if (rst) begin
      w_data <= 16'h0000;
    end
  end
  always @(posedge clk) begin
    w_address <= taking_w_address;
    if (rst) begin
      w_address <= 7'h00;
    end
  end
  assign asking_start = start;
  assign asking_address = req_addr;
  assign taking_start = start;
  assign expected = 1'h1;
  assign n7 = 1'h0;
  assign n8 = resp_valid;
  assign wanted = 1'h1;
  assign req_valid = allowed;
  assign n3 = 1'h0;
  assign n4 = req_ready;
  assign resp_ready = n5;
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
module w_in_load_response_walk(advance, clk, rst, valid, w_address, ends, start);
  wire [7:0] n1;
  wire [2:0] n10;
  wire n11;
  wire [6:0] n12;
  wire n13;
  wire [7:0] n2;
  wire [7:0] n3;
  wire n4;
  wire n5;
  wire [3:0] n6;
  wire n7;
  wire [3:0] n8;
  wire n9;
  input advance;
  input clk;
  output ends;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  wire k_more;
  reg k_zero = 1'h0;
  input rst;
  input start;
  output valid;
  reg valid = 1'h0;
  output [6:0] w_address;
  reg [6:0] w_address = 7'h00;
  wire [6:0] w_address_at_w_in_0;
  wire [6:0] w_address_at_w_in_0_next;
  reg [6:0] w_address_at_w_in_1 = 7'h00;
  wire [6:0] w_address_at_w_in_1_next;
  reg [6:0] w_address_at_w_in_2 = 7'h00;
  wire [6:0] w_address_at_w_in_2_next;
  reg [2:0] w_in_0_count = 3'h0;
  reg w_in_0_last = 1'h0;
  wire w_in_0_more;
  reg w_in_0_zero = 1'h0;
  reg [2:0] w_in_1_count = 3'h0;
  reg w_in_1_last = 1'h0;
  wire w_in_1_more;
  reg w_in_1_zero = 1'h0;
  reg [1:0] w_in_2_count = 2'h0;
  reg w_in_2_last = 1'h0;
  wire w_in_2_more;
  reg w_in_2_zero = 1'h0;
  assign k_more = ~ k_last;
  assign w_in_2_more = ~ w_in_2_last;
  assign w_in_1_more = ~ w_in_1_last;
  assign w_in_0_more = ~ w_in_0_last;
  assign n1 = w_address_at_w_in_2 + 5'h19;
  assign n2 = w_address_at_w_in_1 + 3'h5;
  assign n3 = w_address + 1'h1;
  assign n5 = n4 & w_in_1_last;
  assign ends = n5 & w_in_0_last;
  assign n6 = w_in_0_count + 1'h1;
  assign n7 = w_in_0_count == 2'h3;
  assign n8 = w_in_1_count + 1'h1;
  assign n9 = w_in_1_count == 2'h3;
  assign n10 = w_in_2_count + 1'h1;
  assign n11 = w_in_2_count == 1'h1;
  assign n12 = k_count + 1'h1;
  assign n13 = k_count == 6'h3e;
  always @(posedge clk) begin
    if (start) begin
      valid <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
      end else if (k_more) begin
      end else begin
        valid <= 1'h0;
      end
    end
    if (rst) begin
      valid <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_count <= 6'h00;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
      end else if (k_more) begin
        k_count <= n12[5:0];
      end
    end
    if (rst) begin
      k_count <= 6'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_zero <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
      end else if (k_more) begin
        k_zero <= 1'h0;
      end
    end
    if (rst) begin
      k_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_last <= 1'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
      end else if (k_more) begin
        k_last <= n13;
      end
    end
    if (rst) begin
      k_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_2_count <= 2'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
        w_in_2_count <= n10[1:0];
      end else if (k_more) begin
        w_in_2_count <= 2'h0;
      end
    end
    if (rst) begin
      w_in_2_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_2_zero <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
        w_in_2_zero <= 1'h0;
      end else if (k_more) begin
        w_in_2_zero <= 1'h1;
      end
    end
    if (rst) begin
      w_in_2_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_2_last <= 1'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
        w_in_2_last <= n11;
      end else if (k_more) begin
        w_in_2_last <= 1'h0;
      end
    end
    if (rst) begin
      w_in_2_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_1_count <= 3'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
        w_in_1_count <= n8[2:0];
      end else if (w_in_2_more) begin
        w_in_1_count <= 3'h0;
      end else if (k_more) begin
        w_in_1_count <= 3'h0;
      end
    end
    if (rst) begin
      w_in_1_count <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_1_zero <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
        w_in_1_zero <= 1'h0;
      end else if (w_in_2_more) begin
        w_in_1_zero <= 1'h1;
      end else if (k_more) begin
        w_in_1_zero <= 1'h1;
      end
    end
    if (rst) begin
      w_in_1_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_1_last <= 1'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
        w_in_1_last <= n9;
      end else if (w_in_2_more) begin
        w_in_1_last <= 1'h0;
      end else if (k_more) begin
        w_in_1_last <= 1'h0;
      end
    end
    if (rst) begin
      w_in_1_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_0_count <= 3'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
        w_in_0_count <= n6[2:0];
      end else if (w_in_1_more) begin
        w_in_0_count <= 3'h0;
      end else if (w_in_2_more) begin
        w_in_0_count <= 3'h0;
      end else if (k_more) begin
        w_in_0_count <= 3'h0;
      end
    end
    if (rst) begin
      w_in_0_count <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_0_zero <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
        w_in_0_zero <= 1'h0;
      end else if (w_in_1_more) begin
        w_in_0_zero <= 1'h1;
      end else if (w_in_2_more) begin
        w_in_0_zero <= 1'h1;
      end else if (k_more) begin
        w_in_0_zero <= 1'h1;
      end
    end
    if (rst) begin
      w_in_0_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_0_last <= 1'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
        w_in_0_last <= n7;
      end else if (w_in_1_more) begin
        w_in_0_last <= 1'h0;
      end else if (w_in_2_more) begin
        w_in_0_last <= 1'h0;
      end else if (k_more) begin
        w_in_0_last <= 1'h0;
      end
    end
    if (rst) begin
      w_in_0_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_address_at_w_in_2 <= 7'h00;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
        w_address_at_w_in_2 <= n1[6:0];
      end else if (k_more) begin
        w_address_at_w_in_2 <= 7'h00;
      end
    end
    if (rst) begin
      w_address_at_w_in_2 <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_address_at_w_in_1 <= 7'h00;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
        w_address_at_w_in_1 <= n2[6:0];
      end else if (w_in_2_more) begin
        w_address_at_w_in_1 <= n1[6:0];
      end else if (k_more) begin
        w_address_at_w_in_1 <= 7'h00;
      end
    end
    if (rst) begin
      w_address_at_w_in_1 <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_address <= 7'h00;
    end else if (advance) begin
      if (w_in_0_more) begin
        w_address <= n3[6:0];
      end else if (w_in_1_more) begin
        w_address <= n2[6:0];
      end else if (w_in_2_more) begin
        w_address <= n1[6:0];
      end else if (k_more) begin
        w_address <= 7'h00;
      end
    end
    if (rst) begin
      w_address <= 7'h00;
    end
  end
  assign w_address_at_w_in_2_next = n1[6:0];
  assign w_address_at_w_in_1_next = n2[6:0];
  assign w_address_at_w_in_0_next = n3[6:0];
  assign w_address_at_w_in_0 = w_address;
  assign n4 = w_in_2_last;
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
module w_in_load_request_walk(advance, clk, rst, valid, address, opens, start);
  wire [13:0] n1;
  wire n10;
  wire [2:0] n11;
  wire n12;
  wire [6:0] n13;
  wire n14;
  wire [13:0] n2;
  wire [13:0] n3;
  wire [13:0] n4;
  wire n5;
  wire n6;
  wire [3:0] n7;
  wire n8;
  wire [3:0] n9;
  output [12:0] address;
  reg [12:0] address = 13'h0000;
  reg [12:0] address_at_k = 13'h0000;
  wire [12:0] address_at_k_next;
  wire [12:0] address_at_w_in_0;
  wire [12:0] address_at_w_in_0_next;
  reg [12:0] address_at_w_in_1 = 13'h0000;
  wire [12:0] address_at_w_in_1_next;
  reg [12:0] address_at_w_in_2 = 13'h0000;
  wire [12:0] address_at_w_in_2_next;
  input advance;
  input clk;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  wire k_more;
  reg k_zero = 1'h0;
  output opens;
  input rst;
  input start;
  output valid;
  reg valid = 1'h0;
  reg [2:0] w_in_0_count = 3'h0;
  reg w_in_0_last = 1'h0;
  wire w_in_0_more;
  reg w_in_0_zero = 1'h0;
  reg [2:0] w_in_1_count = 3'h0;
  reg w_in_1_last = 1'h0;
  wire w_in_1_more;
  reg w_in_1_zero = 1'h0;
  reg [1:0] w_in_2_count = 2'h0;
  reg w_in_2_last = 1'h0;
  wire w_in_2_more;
  reg w_in_2_zero = 1'h0;
  assign k_more = ~ k_last;
  assign w_in_2_more = ~ w_in_2_last;
  assign w_in_1_more = ~ w_in_1_last;
  assign w_in_0_more = ~ w_in_0_last;
  assign n1 = address_at_k + 7'h4b;
  assign n2 = address_at_w_in_2 + 5'h19;
  assign n3 = address_at_w_in_1 + 3'h5;
  assign n4 = address + 1'h1;
  assign n6 = n5 & w_in_1_zero;
  assign opens = n6 & w_in_0_zero;
  assign n7 = w_in_0_count + 1'h1;
  assign n8 = w_in_0_count == 2'h3;
  assign n9 = w_in_1_count + 1'h1;
  assign n10 = w_in_1_count == 2'h3;
  assign n11 = w_in_2_count + 1'h1;
  assign n12 = w_in_2_count == 1'h1;
  assign n13 = k_count + 1'h1;
  assign n14 = k_count == 6'h3e;
  always @(posedge clk) begin
    if (start) begin
      valid <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
      end else if (k_more) begin
      end else begin
        valid <= 1'h0;
      end
    end
    if (rst) begin
      valid <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_count <= 6'h00;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
      end else if (k_more) begin
        k_count <= n13[5:0];
      end
    end
    if (rst) begin
      k_count <= 6'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_zero <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
      end else if (k_more) begin
        k_zero <= 1'h0;
      end
    end
    if (rst) begin
      k_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_last <= 1'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
      end else if (k_more) begin
        k_last <= n14;
      end
    end
    if (rst) begin
      k_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_2_count <= 2'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
        w_in_2_count <= n11[1:0];
      end else if (k_more) begin
        w_in_2_count <= 2'h0;
      end
    end
    if (rst) begin
      w_in_2_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_2_zero <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
        w_in_2_zero <= 1'h0;
      end else if (k_more) begin
        w_in_2_zero <= 1'h1;
      end
    end
    if (rst) begin
      w_in_2_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_2_last <= 1'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
        w_in_2_last <= n12;
      end else if (k_more) begin
        w_in_2_last <= 1'h0;
      end
    end
    if (rst) begin
      w_in_2_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_1_count <= 3'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
        w_in_1_count <= n9[2:0];
      end else if (w_in_2_more) begin
        w_in_1_count <= 3'h0;
      end else if (k_more) begin
        w_in_1_count <= 3'h0;
      end
    end
    if (rst) begin
      w_in_1_count <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_1_zero <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
        w_in_1_zero <= 1'h0;
      end else if (w_in_2_more) begin
        w_in_1_zero <= 1'h1;
      end else if (k_more) begin
        w_in_1_zero <= 1'h1;
      end
    end
    if (rst) begin
      w_in_1_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_1_last <= 1'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
        w_in_1_last <= n10;
      end else if (w_in_2_more) begin
        w_in_1_last <= 1'h0;
      end else if (k_more) begin
        w_in_1_last <= 1'h0;
      end
    end
    if (rst) begin
      w_in_1_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_0_count <= 3'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
        w_in_0_count <= n7[2:0];
      end else if (w_in_1_more) begin
        w_in_0_count <= 3'h0;
      end else if (w_in_2_more) begin
        w_in_0_count <= 3'h0;
      end else if (k_more) begin
        w_in_0_count <= 3'h0;
      end
    end
    if (rst) begin
      w_in_0_count <= 3'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_0_zero <= 1'h1;
    end else if (advance) begin
      if (w_in_0_more) begin
        w_in_0_zero <= 1'h0;
      end else if (w_in_1_more) begin
        w_in_0_zero <= 1'h1;
      end else if (w_in_2_more) begin
        w_in_0_zero <= 1'h1;
      end else if (k_more) begin
        w_in_0_zero <= 1'h1;
      end
    end
    if (rst) begin
      w_in_0_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_in_0_last <= 1'h0;
    end else if (advance) begin
      if (w_in_0_more) begin
        w_in_0_last <= n8;
      end else if (w_in_1_more) begin
        w_in_0_last <= 1'h0;
      end else if (w_in_2_more) begin
        w_in_0_last <= 1'h0;
      end else if (k_more) begin
        w_in_0_last <= 1'h0;
      end
    end
    if (rst) begin
      w_in_0_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_k <= 13'h0000;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
      end else if (k_more) begin
        address_at_k <= n1[12:0];
      end
    end
    if (rst) begin
      address_at_k <= 13'h0000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_w_in_2 <= 13'h0000;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
      end else if (w_in_2_more) begin
        address_at_w_in_2 <= n2[12:0];
      end else if (k_more) begin
        address_at_w_in_2 <= n1[12:0];
      end
    end
    if (rst) begin
      address_at_w_in_2 <= 13'h0000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_w_in_1 <= 13'h0000;
    end else if (advance) begin
      if (w_in_0_more) begin
      end else if (w_in_1_more) begin
        address_at_w_in_1 <= n3[12:0];
      end else if (w_in_2_more) begin
        address_at_w_in_1 <= n2[12:0];
      end else if (k_more) begin
        address_at_w_in_1 <= n1[12:0];
      end
    end
    if (rst) begin
      address_at_w_in_1 <= 13'h0000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address <= 13'h0000;
    end else if (advance) begin
      if (w_in_0_more) begin
        address <= n4[12:0];
      end else if (w_in_1_more) begin
        address <= n3[12:0];
      end else if (w_in_2_more) begin
        address <= n2[12:0];
      end else if (k_more) begin
        address <= n1[12:0];
      end
    end
    if (rst) begin
      address <= 13'h0000;
    end
  end
  assign address_at_k_next = n1[12:0];
  assign address_at_w_in_2_next = n2[12:0];
  assign address_at_w_in_1_next = n3[12:0];
  assign address_at_w_in_0_next = n4[12:0];
  assign address_at_w_in_0 = address;
  assign n5 = w_in_2_zero;
endmodule

// Fills a memory from a port: one walk asks, an equal one takes the answers.
module input_in_load(req_ready, resp_valid, resp_data, free, granted, clk, rst, req_valid, req_addr, resp_ready, w_valid, w_data, w_address, w_digit0, reserve, commit, start);
  wire n1;
  wire n2;
  wire n3;
  wire n4;
  wire n5;
  wire n6;
  wire n7;
  wire n8;
  wire n9;
  wire allowed;
  wire [10:0] asking_address;
  wire asking_advance;
  wire asking_opens;
  wire asking_start;
  wire asking_valid;
  input clk;
  output commit;
  reg commit = 1'h0;
  wire expected;
  input free;
  input granted;
  output [10:0] req_addr;
  input req_ready;
  output req_valid;
  output reserve;
  input [15:0] resp_data;
  output resp_ready;
  input resp_valid;
  input rst;
  input start;
  wire taking_advance;
  wire taking_ends;
  wire taking_start;
  wire taking_valid;
  wire [6:0] taking_w_address;
  wire [1:0] taking_w_digit0;
  output [6:0] w_address;
  reg [6:0] w_address = 7'h00;
  output [15:0] w_data;
  reg [15:0] w_data = 16'h0000;
  output [1:0] w_digit0;
  reg [1:0] w_digit0 = 2'h0;
  output w_valid;
  reg w_valid = 1'h0;
  wire wanted;
  assign n1 = ~ asking_opens;
  assign n2 = free | n1;
  assign allowed = asking_valid & n2;
  assign asking_advance = allowed & n4;
  assign reserve = asking_advance & asking_opens;
  assign n5 = taking_valid & granted;
  assign n6 = taking_valid & granted;
  assign taking_advance = n6 & n8;
  assign n9 = taking_advance & taking_ends;
  input_in_load_request_walk asking (
    .address(req_addr),
    .advance(asking_advance),
    .clk(clk),
    .opens(asking_opens),
    .rst(rst),
    .start(start),
    .valid(asking_valid)
  );
  input_in_load_response_walk taking (
    .advance(taking_advance),
    .clk(clk),
    .ends(taking_ends),
    .rst(rst),
    .start(start),
    .valid(taking_valid),
    .w_address(taking_w_address),
    .w_digit0(taking_w_digit0)
  );
  always @(posedge clk) begin
    w_valid <= taking_advance;
    if (rst) begin
      w_valid <= 1'h0;
    end
  end
  always @(posedge clk) begin
    commit <= n9;
    if (rst) begin
      commit <= 1'h0;
    end
  end
  always @(posedge clk) begin
    w_data <= resp_data;
    if (rst) begin
      w_data <= 16'h0000;
    end
  end
  always @(posedge clk) begin
    w_address <= taking_w_address;
    if (rst) begin
      w_address <= 7'h00;
    end
  end
  always @(posedge clk) begin
    w_digit0 <= taking_w_digit0;
    if (rst) begin
      w_digit0 <= 2'h0;
    end
  end
  assign asking_start = start;
  assign asking_address = req_addr;
  assign taking_start = start;
  assign expected = 1'h1;
  assign n7 = 1'h0;
  assign wanted = 1'h1;
  assign req_valid = allowed;
  assign n3 = 1'h0;
  assign n4 = req_ready;
  assign resp_ready = n5;
  assign n8 = resp_valid;
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
module input_in_load_response_walk(advance, clk, rst, valid, w_address, w_digit0, ends, start);
  wire [7:0] n1;
  wire [2:0] n10;
  wire n11;
  wire [4:0] n12;
  wire n13;
  wire [2:0] n14;
  wire n15;
  wire [1:0] n16;
  wire n17;
  wire [1:0] n18;
  wire n19;
  wire [7:0] n2;
  wire [6:0] n20;
  wire n21;
  wire [7:0] n3;
  wire [2:0] n4;
  wire n5;
  wire n6;
  wire n7;
  wire [2:0] n8;
  wire n9;
  input advance;
  input clk;
  output ends;
  reg [1:0] input_in_0_bank_count = 2'h0;
  reg input_in_0_bank_last = 1'h0;
  wire input_in_0_bank_more;
  reg input_in_0_bank_zero = 1'h0;
  reg [1:0] input_in_0_count = 2'h0;
  reg input_in_0_last = 1'h0;
  wire input_in_0_more;
  reg input_in_0_zero = 1'h0;
  reg [3:0] input_in_1_count = 4'h0;
  reg input_in_1_last = 1'h0;
  wire input_in_1_more;
  reg input_in_1_zero = 1'h0;
  reg [1:0] input_in_2_count = 2'h0;
  reg input_in_2_last = 1'h0;
  wire input_in_2_more;
  reg input_in_2_zero = 1'h0;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  wire k_more;
  reg k_zero = 1'h0;
  input rst;
  input start;
  output valid;
  reg valid = 1'h0;
  output [6:0] w_address;
  reg [6:0] w_address = 7'h00;
  wire [6:0] w_address_at_input_in_0;
  wire [6:0] w_address_at_input_in_0_next;
  reg [6:0] w_address_at_input_in_1 = 7'h00;
  wire [6:0] w_address_at_input_in_1_next;
  reg [6:0] w_address_at_input_in_2 = 7'h00;
  wire [6:0] w_address_at_input_in_2_next;
  output [1:0] w_digit0;
  reg [1:0] w_digit0 = 2'h0;
  wire [1:0] w_digit0_at_input_in_0_bank;
  wire [1:0] w_digit0_at_input_in_0_bank_next;
  reg xo_count = 1'h0;
  reg xo_last = 1'h0;
  wire xo_more;
  reg xo_zero = 1'h0;
  reg yo_count = 1'h0;
  reg yo_last = 1'h0;
  wire yo_more;
  reg yo_zero = 1'h0;
  assign k_more = ~ k_last;
  assign yo_more = ~ yo_last;
  assign xo_more = ~ xo_last;
  assign input_in_2_more = ~ input_in_2_last;
  assign input_in_1_more = ~ input_in_1_last;
  assign input_in_0_more = ~ input_in_0_last;
  assign input_in_0_bank_more = ~ input_in_0_bank_last;
  assign n1 = w_address_at_input_in_2 + 6'h24;
  assign n2 = w_address_at_input_in_1 + 2'h3;
  assign n3 = w_address + 1'h1;
  assign n4 = w_digit0 + 1'h1;
  assign n6 = n5 & input_in_1_last;
  assign n7 = n6 & input_in_0_last;
  assign ends = n7 & input_in_0_bank_last;
  assign n8 = input_in_0_bank_count + 1'h1;
  assign n9 = input_in_0_bank_count == 2'h2;
  assign n10 = input_in_0_count + 1'h1;
  assign n11 = input_in_0_count == 1'h1;
  assign n12 = input_in_1_count + 1'h1;
  assign n13 = input_in_1_count == 4'ha;
  assign n14 = input_in_2_count + 1'h1;
  assign n15 = input_in_2_count == 1'h1;
  assign n16 = xo_count + 1'h1;
  assign n17 = ! xo_count;
  assign n18 = yo_count + 1'h1;
  assign n19 = ! yo_count;
  assign n20 = k_count + 1'h1;
  assign n21 = k_count == 6'h3e;
  always @(posedge clk) begin
    if (start) begin
      input_in_2_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
        input_in_2_last <= n15;
      end else if (xo_more) begin
        input_in_2_last <= 1'h0;
      end else if (yo_more) begin
        input_in_2_last <= 1'h0;
      end else if (k_more) begin
        input_in_2_last <= 1'h0;
      end
    end
    if (rst) begin
      input_in_2_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_1_count <= 4'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
        input_in_1_count <= n12[3:0];
      end else if (input_in_2_more) begin
        input_in_1_count <= 4'h0;
      end else if (xo_more) begin
        input_in_1_count <= 4'h0;
      end else if (yo_more) begin
        input_in_1_count <= 4'h0;
      end else if (k_more) begin
        input_in_1_count <= 4'h0;
      end
    end
    if (rst) begin
      input_in_1_count <= 4'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_1_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
        input_in_1_zero <= 1'h0;
      end else if (input_in_2_more) begin
        input_in_1_zero <= 1'h1;
      end else if (xo_more) begin
        input_in_1_zero <= 1'h1;
      end else if (yo_more) begin
        input_in_1_zero <= 1'h1;
      end else if (k_more) begin
        input_in_1_zero <= 1'h1;
      end
    end
    if (rst) begin
      input_in_1_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_1_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
        input_in_1_last <= n13;
      end else if (input_in_2_more) begin
        input_in_1_last <= 1'h0;
      end else if (xo_more) begin
        input_in_1_last <= 1'h0;
      end else if (yo_more) begin
        input_in_1_last <= 1'h0;
      end else if (k_more) begin
        input_in_1_last <= 1'h0;
      end
    end
    if (rst) begin
      input_in_1_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_count <= 2'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
        input_in_0_count <= n10[1:0];
      end else if (input_in_1_more) begin
        input_in_0_count <= 2'h0;
      end else if (input_in_2_more) begin
        input_in_0_count <= 2'h0;
      end else if (xo_more) begin
        input_in_0_count <= 2'h0;
      end else if (yo_more) begin
        input_in_0_count <= 2'h0;
      end else if (k_more) begin
        input_in_0_count <= 2'h0;
      end
    end
    if (rst) begin
      input_in_0_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
        input_in_0_zero <= 1'h0;
      end else if (input_in_1_more) begin
        input_in_0_zero <= 1'h1;
      end else if (input_in_2_more) begin
        input_in_0_zero <= 1'h1;
      end else if (xo_more) begin
        input_in_0_zero <= 1'h1;
      end else if (yo_more) begin
        input_in_0_zero <= 1'h1;
      end else if (k_more) begin
        input_in_0_zero <= 1'h1;
      end
    end
    if (rst) begin
      input_in_0_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
        input_in_0_last <= n11;
      end else if (input_in_1_more) begin
        input_in_0_last <= 1'h0;
      end else if (input_in_2_more) begin
        input_in_0_last <= 1'h0;
      end else if (xo_more) begin
        input_in_0_last <= 1'h0;
      end else if (yo_more) begin
        input_in_0_last <= 1'h0;
      end else if (k_more) begin
        input_in_0_last <= 1'h0;
      end
    end
    if (rst) begin
      input_in_0_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_bank_count <= 2'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        input_in_0_bank_count <= n8[1:0];
      end else if (input_in_0_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (input_in_1_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (input_in_2_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (xo_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (yo_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (k_more) begin
        input_in_0_bank_count <= 2'h0;
      end
    end
    if (rst) begin
      input_in_0_bank_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_bank_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        input_in_0_bank_zero <= 1'h0;
      end else if (input_in_0_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (input_in_1_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (input_in_2_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (xo_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (yo_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (k_more) begin
        input_in_0_bank_zero <= 1'h1;
      end
    end
    if (rst) begin
      input_in_0_bank_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_bank_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        input_in_0_bank_last <= n9;
      end else if (input_in_0_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (input_in_1_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (input_in_2_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (xo_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (yo_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (k_more) begin
        input_in_0_bank_last <= 1'h0;
      end
    end
    if (rst) begin
      input_in_0_bank_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_address_at_input_in_2 <= 7'h00;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
        w_address_at_input_in_2 <= n1[6:0];
      end else if (xo_more) begin
        w_address_at_input_in_2 <= 7'h00;
      end else if (yo_more) begin
        w_address_at_input_in_2 <= 7'h00;
      end else if (k_more) begin
        w_address_at_input_in_2 <= 7'h00;
      end
    end
    if (rst) begin
      w_address_at_input_in_2 <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_address_at_input_in_1 <= 7'h00;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
        w_address_at_input_in_1 <= n2[6:0];
      end else if (input_in_2_more) begin
        w_address_at_input_in_1 <= n1[6:0];
      end else if (xo_more) begin
        w_address_at_input_in_1 <= 7'h00;
      end else if (yo_more) begin
        w_address_at_input_in_1 <= 7'h00;
      end else if (k_more) begin
        w_address_at_input_in_1 <= 7'h00;
      end
    end
    if (rst) begin
      w_address_at_input_in_1 <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_address <= 7'h00;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
        w_address <= n3[6:0];
      end else if (input_in_1_more) begin
        w_address <= n2[6:0];
      end else if (input_in_2_more) begin
        w_address <= n1[6:0];
      end else if (xo_more) begin
        w_address <= 7'h00;
      end else if (yo_more) begin
        w_address <= 7'h00;
      end else if (k_more) begin
        w_address <= 7'h00;
      end
    end
    if (rst) begin
      w_address <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      w_digit0 <= 2'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        w_digit0 <= n4[1:0];
      end else if (input_in_0_more) begin
        w_digit0 <= 2'h0;
      end else if (input_in_1_more) begin
        w_digit0 <= 2'h0;
      end else if (input_in_2_more) begin
        w_digit0 <= 2'h0;
      end else if (xo_more) begin
        w_digit0 <= 2'h0;
      end else if (yo_more) begin
        w_digit0 <= 2'h0;
      end else if (k_more) begin
        w_digit0 <= 2'h0;
      end
    end
    if (rst) begin
      w_digit0 <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      valid <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
      end else begin
        valid <= 1'h0;
      end
    end
    if (rst) begin
      valid <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_count <= 6'h00;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_count <= n20[5:0];
      end
    end
    if (rst) begin
      k_count <= 6'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_zero <= 1'h0;
      end
    end
    if (rst) begin
      k_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_last <= n21;
      end
    end
    if (rst) begin
      k_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_count <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_count <= n18[0];
      end else if (k_more) begin
        yo_count <= 1'h0;
      end
    end
    if (rst) begin
      yo_count <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_zero <= 1'h0;
      end else if (k_more) begin
        yo_zero <= 1'h1;
      end
    end
    if (rst) begin
      yo_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_last <= n19;
      end else if (k_more) begin
        yo_last <= 1'h0;
      end
    end
    if (rst) begin
      yo_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_count <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
        xo_count <= n16[0];
      end else if (yo_more) begin
        xo_count <= 1'h0;
      end else if (k_more) begin
        xo_count <= 1'h0;
      end
    end
    if (rst) begin
      xo_count <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
        xo_zero <= 1'h0;
      end else if (yo_more) begin
        xo_zero <= 1'h1;
      end else if (k_more) begin
        xo_zero <= 1'h1;
      end
    end
    if (rst) begin
      xo_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
        xo_last <= n17;
      end else if (yo_more) begin
        xo_last <= 1'h0;
      end else if (k_more) begin
        xo_last <= 1'h0;
      end
    end
    if (rst) begin
      xo_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_2_count <= 2'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
        input_in_2_count <= n14[1:0];
      end else if (xo_more) begin
        input_in_2_count <= 2'h0;
      end else if (yo_more) begin
        input_in_2_count <= 2'h0;
      end else if (k_more) begin
        input_in_2_count <= 2'h0;
      end
    end
    if (rst) begin
      input_in_2_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_2_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
        input_in_2_zero <= 1'h0;
      end else if (xo_more) begin
        input_in_2_zero <= 1'h1;
      end else if (yo_more) begin
        input_in_2_zero <= 1'h1;
      end else if (k_more) begin
        input_in_2_zero <= 1'h1;
      end
    end
    if (rst) begin
      input_in_2_zero <= 1'h0;
    end
  end
  assign w_address_at_input_in_2_next = n1[6:0];
  assign w_address_at_input_in_1_next = n2[6:0];
  assign w_address_at_input_in_0_next = n3[6:0];
  assign w_address_at_input_in_0 = w_address;
  assign w_digit0_at_input_in_0_bank_next = n4[1:0];
  assign w_digit0_at_input_in_0_bank = w_digit0;
  assign n5 = input_in_2_last;
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
module input_in_load_request_walk(advance, clk, rst, valid, address, opens, start);
  wire [11:0] n1;
  wire [2:0] n10;
  wire n11;
  wire [2:0] n12;
  wire n13;
  wire [4:0] n14;
  wire n15;
  wire [2:0] n16;
  wire n17;
  wire [1:0] n18;
  wire n19;
  wire [11:0] n2;
  wire [1:0] n20;
  wire n21;
  wire [6:0] n22;
  wire n23;
  wire [11:0] n3;
  wire [11:0] n4;
  wire [11:0] n5;
  wire [11:0] n6;
  wire n7;
  wire n8;
  wire n9;
  output [10:0] address;
  reg [10:0] address = 11'h000;
  reg [10:0] address_at_input_in_0 = 11'h000;
  wire [10:0] address_at_input_in_0_bank;
  wire [10:0] address_at_input_in_0_bank_next;
  wire [10:0] address_at_input_in_0_next;
  reg [10:0] address_at_input_in_1 = 11'h000;
  wire [10:0] address_at_input_in_1_next;
  reg [10:0] address_at_input_in_2 = 11'h000;
  wire [10:0] address_at_input_in_2_next;
  reg [10:0] address_at_xo = 11'h000;
  wire [10:0] address_at_xo_next;
  reg [10:0] address_at_yo = 11'h000;
  wire [10:0] address_at_yo_next;
  input advance;
  input clk;
  reg [1:0] input_in_0_bank_count = 2'h0;
  reg input_in_0_bank_last = 1'h0;
  wire input_in_0_bank_more;
  reg input_in_0_bank_zero = 1'h0;
  reg [1:0] input_in_0_count = 2'h0;
  reg input_in_0_last = 1'h0;
  wire input_in_0_more;
  reg input_in_0_zero = 1'h0;
  reg [3:0] input_in_1_count = 4'h0;
  reg input_in_1_last = 1'h0;
  wire input_in_1_more;
  reg input_in_1_zero = 1'h0;
  reg [1:0] input_in_2_count = 2'h0;
  reg input_in_2_last = 1'h0;
  wire input_in_2_more;
  reg input_in_2_zero = 1'h0;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  wire k_more;
  reg k_zero = 1'h0;
  output opens;
  input rst;
  input start;
  output valid;
  reg valid = 1'h0;
  reg xo_count = 1'h0;
  reg xo_last = 1'h0;
  wire xo_more;
  reg xo_zero = 1'h0;
  reg yo_count = 1'h0;
  reg yo_last = 1'h0;
  wire yo_more;
  reg yo_zero = 1'h0;
  assign k_more = ~ k_last;
  assign yo_more = ~ yo_last;
  assign xo_more = ~ xo_last;
  assign input_in_2_more = ~ input_in_2_last;
  assign input_in_1_more = ~ input_in_1_last;
  assign input_in_0_more = ~ input_in_0_last;
  assign input_in_0_bank_more = ~ input_in_0_bank_last;
  assign n1 = address_at_yo + 8'ha0;
  assign n2 = address_at_xo + 4'h8;
  assign n3 = address_at_input_in_2 + 9'h190;
  assign n4 = address_at_input_in_1 + 5'h14;
  assign n5 = address_at_input_in_0 + 3'h4;
  assign n6 = address + 1'h1;
  assign n8 = n7 & input_in_1_zero;
  assign n9 = n8 & input_in_0_zero;
  assign opens = n9 & input_in_0_bank_zero;
  assign n10 = input_in_0_bank_count + 1'h1;
  assign n11 = input_in_0_bank_count == 2'h2;
  assign n12 = input_in_0_count + 1'h1;
  assign n13 = input_in_0_count == 1'h1;
  assign n14 = input_in_1_count + 1'h1;
  assign n15 = input_in_1_count == 4'ha;
  assign n16 = input_in_2_count + 1'h1;
  assign n17 = input_in_2_count == 1'h1;
  assign n18 = xo_count + 1'h1;
  assign n19 = ! xo_count;
  assign n20 = yo_count + 1'h1;
  assign n21 = ! yo_count;
  assign n22 = k_count + 1'h1;
  assign n23 = k_count == 6'h3e;
  always @(posedge clk) begin
    if (start) begin
      xo_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
        xo_last <= n19;
      end else if (yo_more) begin
        xo_last <= 1'h0;
      end else if (k_more) begin
        xo_last <= 1'h0;
      end
    end
    if (rst) begin
      xo_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_2_count <= 2'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
        input_in_2_count <= n16[1:0];
      end else if (xo_more) begin
        input_in_2_count <= 2'h0;
      end else if (yo_more) begin
        input_in_2_count <= 2'h0;
      end else if (k_more) begin
        input_in_2_count <= 2'h0;
      end
    end
    if (rst) begin
      input_in_2_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_2_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
        input_in_2_zero <= 1'h0;
      end else if (xo_more) begin
        input_in_2_zero <= 1'h1;
      end else if (yo_more) begin
        input_in_2_zero <= 1'h1;
      end else if (k_more) begin
        input_in_2_zero <= 1'h1;
      end
    end
    if (rst) begin
      input_in_2_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_2_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
        input_in_2_last <= n17;
      end else if (xo_more) begin
        input_in_2_last <= 1'h0;
      end else if (yo_more) begin
        input_in_2_last <= 1'h0;
      end else if (k_more) begin
        input_in_2_last <= 1'h0;
      end
    end
    if (rst) begin
      input_in_2_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_1_count <= 4'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
        input_in_1_count <= n14[3:0];
      end else if (input_in_2_more) begin
        input_in_1_count <= 4'h0;
      end else if (xo_more) begin
        input_in_1_count <= 4'h0;
      end else if (yo_more) begin
        input_in_1_count <= 4'h0;
      end else if (k_more) begin
        input_in_1_count <= 4'h0;
      end
    end
    if (rst) begin
      input_in_1_count <= 4'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_1_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
        input_in_1_zero <= 1'h0;
      end else if (input_in_2_more) begin
        input_in_1_zero <= 1'h1;
      end else if (xo_more) begin
        input_in_1_zero <= 1'h1;
      end else if (yo_more) begin
        input_in_1_zero <= 1'h1;
      end else if (k_more) begin
        input_in_1_zero <= 1'h1;
      end
    end
    if (rst) begin
      input_in_1_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_1_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
        input_in_1_last <= n15;
      end else if (input_in_2_more) begin
        input_in_1_last <= 1'h0;
      end else if (xo_more) begin
        input_in_1_last <= 1'h0;
      end else if (yo_more) begin
        input_in_1_last <= 1'h0;
      end else if (k_more) begin
        input_in_1_last <= 1'h0;
      end
    end
    if (rst) begin
      input_in_1_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_count <= 2'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
        input_in_0_count <= n12[1:0];
      end else if (input_in_1_more) begin
        input_in_0_count <= 2'h0;
      end else if (input_in_2_more) begin
        input_in_0_count <= 2'h0;
      end else if (xo_more) begin
        input_in_0_count <= 2'h0;
      end else if (yo_more) begin
        input_in_0_count <= 2'h0;
      end else if (k_more) begin
        input_in_0_count <= 2'h0;
      end
    end
    if (rst) begin
      input_in_0_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
        input_in_0_zero <= 1'h0;
      end else if (input_in_1_more) begin
        input_in_0_zero <= 1'h1;
      end else if (input_in_2_more) begin
        input_in_0_zero <= 1'h1;
      end else if (xo_more) begin
        input_in_0_zero <= 1'h1;
      end else if (yo_more) begin
        input_in_0_zero <= 1'h1;
      end else if (k_more) begin
        input_in_0_zero <= 1'h1;
      end
    end
    if (rst) begin
      input_in_0_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
        input_in_0_last <= n13;
      end else if (input_in_1_more) begin
        input_in_0_last <= 1'h0;
      end else if (input_in_2_more) begin
        input_in_0_last <= 1'h0;
      end else if (xo_more) begin
        input_in_0_last <= 1'h0;
      end else if (yo_more) begin
        input_in_0_last <= 1'h0;
      end else if (k_more) begin
        input_in_0_last <= 1'h0;
      end
    end
    if (rst) begin
      input_in_0_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_bank_count <= 2'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        input_in_0_bank_count <= n10[1:0];
      end else if (input_in_0_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (input_in_1_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (input_in_2_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (xo_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (yo_more) begin
        input_in_0_bank_count <= 2'h0;
      end else if (k_more) begin
        input_in_0_bank_count <= 2'h0;
      end
    end
    if (rst) begin
      input_in_0_bank_count <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_bank_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        input_in_0_bank_zero <= 1'h0;
      end else if (input_in_0_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (input_in_1_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (input_in_2_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (xo_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (yo_more) begin
        input_in_0_bank_zero <= 1'h1;
      end else if (k_more) begin
        input_in_0_bank_zero <= 1'h1;
      end
    end
    if (rst) begin
      input_in_0_bank_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      input_in_0_bank_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        input_in_0_bank_last <= n11;
      end else if (input_in_0_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (input_in_1_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (input_in_2_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (xo_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (yo_more) begin
        input_in_0_bank_last <= 1'h0;
      end else if (k_more) begin
        input_in_0_bank_last <= 1'h0;
      end
    end
    if (rst) begin
      input_in_0_bank_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_yo <= 11'h000;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        address_at_yo <= n1[10:0];
      end else if (k_more) begin
        address_at_yo <= 11'h000;
      end
    end
    if (rst) begin
      address_at_yo <= 11'h000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_xo <= 11'h000;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
        address_at_xo <= n2[10:0];
      end else if (yo_more) begin
        address_at_xo <= n1[10:0];
      end else if (k_more) begin
        address_at_xo <= 11'h000;
      end
    end
    if (rst) begin
      address_at_xo <= 11'h000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_input_in_2 <= 11'h000;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
        address_at_input_in_2 <= n3[10:0];
      end else if (xo_more) begin
        address_at_input_in_2 <= n2[10:0];
      end else if (yo_more) begin
        address_at_input_in_2 <= n1[10:0];
      end else if (k_more) begin
        address_at_input_in_2 <= 11'h000;
      end
    end
    if (rst) begin
      address_at_input_in_2 <= 11'h000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_input_in_1 <= 11'h000;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
        address_at_input_in_1 <= n4[10:0];
      end else if (input_in_2_more) begin
        address_at_input_in_1 <= n3[10:0];
      end else if (xo_more) begin
        address_at_input_in_1 <= n2[10:0];
      end else if (yo_more) begin
        address_at_input_in_1 <= n1[10:0];
      end else if (k_more) begin
        address_at_input_in_1 <= 11'h000;
      end
    end
    if (rst) begin
      address_at_input_in_1 <= 11'h000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address_at_input_in_0 <= 11'h000;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
        address_at_input_in_0 <= n5[10:0];
      end else if (input_in_1_more) begin
        address_at_input_in_0 <= n4[10:0];
      end else if (input_in_2_more) begin
        address_at_input_in_0 <= n3[10:0];
      end else if (xo_more) begin
        address_at_input_in_0 <= n2[10:0];
      end else if (yo_more) begin
        address_at_input_in_0 <= n1[10:0];
      end else if (k_more) begin
        address_at_input_in_0 <= 11'h000;
      end
    end
    if (rst) begin
      address_at_input_in_0 <= 11'h000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      address <= 11'h000;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
        address <= n6[10:0];
      end else if (input_in_0_more) begin
        address <= n5[10:0];
      end else if (input_in_1_more) begin
        address <= n4[10:0];
      end else if (input_in_2_more) begin
        address <= n3[10:0];
      end else if (xo_more) begin
        address <= n2[10:0];
      end else if (yo_more) begin
        address <= n1[10:0];
      end else if (k_more) begin
        address <= 11'h000;
      end
    end
    if (rst) begin
      address <= 11'h000;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      valid <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
      end else begin
        valid <= 1'h0;
      end
    end
    if (rst) begin
      valid <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_count <= 6'h00;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_count <= n22[5:0];
      end
    end
    if (rst) begin
      k_count <= 6'h00;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_zero <= 1'h0;
      end
    end
    if (rst) begin
      k_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      k_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
      end else if (k_more) begin
        k_last <= n23;
      end
    end
    if (rst) begin
      k_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_count <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_count <= n20[0];
      end else if (k_more) begin
        yo_count <= 1'h0;
      end
    end
    if (rst) begin
      yo_count <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_zero <= 1'h0;
      end else if (k_more) begin
        yo_zero <= 1'h1;
      end
    end
    if (rst) begin
      yo_zero <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      yo_last <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
      end else if (yo_more) begin
        yo_last <= n21;
      end else if (k_more) begin
        yo_last <= 1'h0;
      end
    end
    if (rst) begin
      yo_last <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_count <= 1'h0;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
        xo_count <= n18[0];
      end else if (yo_more) begin
        xo_count <= 1'h0;
      end else if (k_more) begin
        xo_count <= 1'h0;
      end
    end
    if (rst) begin
      xo_count <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (start) begin
      xo_zero <= 1'h1;
    end else if (advance) begin
      if (input_in_0_bank_more) begin
      end else if (input_in_0_more) begin
      end else if (input_in_1_more) begin
      end else if (input_in_2_more) begin
      end else if (xo_more) begin
        xo_zero <= 1'h0;
      end else if (yo_more) begin
        xo_zero <= 1'h1;
      end else if (k_more) begin
        xo_zero <= 1'h1;
      end
    end
    if (rst) begin
      xo_zero <= 1'h0;
    end
  end
  assign address_at_yo_next = n1[10:0];
  assign address_at_xo_next = n2[10:0];
  assign address_at_input_in_2_next = n3[10:0];
  assign address_at_input_in_1_next = n4[10:0];
  assign address_at_input_in_0_next = n5[10:0];
  assign address_at_input_in_0_bank_next = n6[10:0];
  assign address_at_input_in_0_bank = address;
  assign n7 = input_in_2_zero;
endmodule

// A memory of several parts, cyclically banked so that every lane has a word each cycle.
module w_in_buffer(w_address, w_data, r_step, r_address, reserve, commit, retire, clk, rst, r_data, free, granted, full, w_valid);
  wire [8:0] n1;
  wire n2;
  wire n3;
  wire [15:0] bank_word;
  wire [7:0] base;
  input clk;
  input commit;
  output free;
  reg fresh1 = 1'h0;
  output full;
  output granted;
  wire [7:0] landing;
  reg [7:0] lane0_address = 8'h00;
  wire owner_commit;
  wire owner_free;
  wire owner_full;
  wire owner_granted;
  wire [6:0] owner_read_base;
  wire owner_reserve;
  wire owner_retire;
  wire [6:0] owner_write_base;
  input [6:0] r_address;
  output [15:0] r_data;
  input r_step;
  input reserve;
  input retire;
  input rst;
  reg step1 = 1'h0;
  input [6:0] w_address;
  input [15:0] w_data;
  input w_valid;
  always @(posedge clk)
    lane0_address <= n1[7:0];
  always @(posedge clk)
    fresh1 <= 1'h1;
  assign landing = owner_write_base + w_address;
  assign base = owner_read_base + r_address;
  assign n1 = base + 1'h0;
  halidehw_ram #(
    .ADDRESS(32'd8),
    .DEPTH(32'd150),
    .WIDTH(32'd16)
  ) bank (
    .clk(clk),
    .read_address(lane0_address),
    .read_data(r_data),
    .read_enable(n3),
    .write_address(landing),
    .write_data(w_data),
    .write_enable(n2)
  );
  ping_pong_2 owner (
    .clk(clk),
    .commit(commit),
    .free(free),
    .full(full),
    .granted(granted),
    .read_base(owner_read_base),
    .reserve(reserve),
    .retire(retire),
    .rst(rst),
    .write_base(owner_write_base)
  );
  always @(posedge clk) begin
    step1 <= r_step;
    if (rst) begin
      step1 <= 1'h0;
    end
  end
  assign owner_reserve = reserve;
  assign owner_commit = commit;
  assign owner_retire = retire;
  assign owner_free = free;
  assign owner_granted = granted;
  assign owner_full = full;
  assign bank_word = r_data;
  assign n2 = w_valid;
  assign n3 = step1;
endmodule

// Passes the parts of a buffer from its writer to its reader and back, in order.
module ping_pong_2(commit, retire, clk, rst, free, granted, full, write_base, read_base, reserve);
  wire n1;
  wire n10;
  wire [2:0] n11;
  wire [2:0] n12;
  wire n13;
  wire n14;
  wire n15;
  wire n16;
  wire [2:0] n17;
  wire [2:0] n18;
  wire n19;
  wire n2;
  wire [7:0] n20;
  wire n21;
  wire [7:0] n22;
  wire n3;
  wire n4;
  wire [2:0] n5;
  wire [2:0] n6;
  wire n7;
  wire n8;
  wire n9;
  input clk;
  input commit;
  output free;
  reg [1:0] free_parts = 2'h2;
  output full;
  reg [1:0] full_parts = 2'h0;
  output granted;
  reg [1:0] granted_parts = 2'h0;
  output [6:0] read_base;
  reg [6:0] read_base = 7'h00;
  input reserve;
  input retire;
  input rst;
  output [6:0] write_base;
  reg [6:0] write_base = 7'h00;
  assign free = | free_parts;
  assign granted = granted_parts > commit;
  assign full = | full_parts;
  assign n1 = ~ reserve;
  assign n2 = retire & n1;
  assign n3 = ~ retire;
  assign n4 = reserve & n3;
  assign n5 = free_parts + 1'h1;
  assign n6 = free_parts - 1'h1;
  assign n7 = ~ commit;
  assign n8 = reserve & n7;
  assign n9 = ~ reserve;
  assign n10 = commit & n9;
  assign n11 = granted_parts + 1'h1;
  assign n12 = granted_parts - 1'h1;
  assign n13 = ~ retire;
  assign n14 = commit & n13;
  assign n15 = ~ commit;
  assign n16 = retire & n15;
  assign n17 = full_parts + 1'h1;
  assign n18 = full_parts - 1'h1;
  assign n19 = write_base == 7'h4b;
  assign n20 = write_base + 7'h4b;
  assign n21 = read_base == 7'h4b;
  assign n22 = read_base + 7'h4b;
  always @(posedge clk) begin
    if (n2) begin
      free_parts <= n5[1:0];
    end else if (n4) begin
      free_parts <= n6[1:0];
    end
    if (rst) begin
      free_parts <= 2'h2;
    end
  end
  always @(posedge clk) begin
    if (n8) begin
      granted_parts <= n11[1:0];
    end else if (n10) begin
      granted_parts <= n12[1:0];
    end
    if (rst) begin
      granted_parts <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (n14) begin
      full_parts <= n17[1:0];
    end else if (n16) begin
      full_parts <= n18[1:0];
    end
    if (rst) begin
      full_parts <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (commit) begin
      if (n19) begin
        write_base <= 7'h00;
      end else begin
        write_base <= n20[6:0];
      end
    end
    if (rst) begin
      write_base <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (retire) begin
      if (n21) begin
        read_base <= 7'h00;
      end else begin
        read_base <= n22[6:0];
      end
    end
    if (rst) begin
      read_base <= 7'h00;
    end
  end
endmodule

// A memory of several parts, cyclically banked so that every lane has a word each cycle.
module input_in_buffer(w_address, w_data, w_digit0, r_step, r_address, r_fresh, r_place0, reserve, commit, retire, clk, rst, r_data, free, granted, full, w_valid);
  wire [4:0] n1;
  wire [9:0] n10;
  wire n100;
  wire n101;
  wire n102;
  wire n103;
  wire n104;
  wire n105;
  wire n106;
  wire [7:0] n107;
  wire [7:0] n108;
  wire n109;
  wire [8:0] n11;
  wire n110;
  wire n111;
  wire n112;
  wire [7:0] n113;
  wire [7:0] n114;
  wire n115;
  wire n116;
  wire n117;
  wire n118;
  wire [7:0] n119;
  wire [2:0] n12;
  wire [7:0] n120;
  wire n121;
  wire n122;
  wire n123;
  wire n124;
  wire [7:0] n125;
  wire [7:0] n126;
  wire n127;
  wire n128;
  wire n129;
  wire [9:0] n13;
  wire n130;
  wire n131;
  wire n132;
  wire n133;
  wire n134;
  wire n135;
  wire n136;
  wire n137;
  wire n138;
  wire n139;
  wire [8:0] n14;
  wire n140;
  wire n141;
  wire n142;
  wire n143;
  wire n144;
  wire n145;
  wire n146;
  wire n147;
  wire n148;
  wire n149;
  wire [2:0] n15;
  wire [7:0] n150;
  wire [7:0] n151;
  wire n152;
  wire n153;
  wire n154;
  wire n155;
  wire [7:0] n156;
  wire [7:0] n157;
  wire n158;
  wire n159;
  wire [9:0] n16;
  wire n160;
  wire n161;
  wire [7:0] n162;
  wire [7:0] n163;
  wire n164;
  wire n165;
  wire n166;
  wire n167;
  wire [7:0] n168;
  wire [7:0] n169;
  wire n17;
  wire n170;
  wire n171;
  wire n172;
  wire n173;
  wire n174;
  wire n175;
  wire n176;
  wire n177;
  wire n178;
  wire n179;
  wire n18;
  wire n180;
  wire n181;
  wire n182;
  wire n183;
  wire n184;
  wire n185;
  wire n186;
  wire n187;
  wire n188;
  wire n189;
  wire n19;
  wire n190;
  wire [15:0] n191;
  wire [15:0] n192;
  wire n193;
  wire n194;
  wire [15:0] n195;
  wire [15:0] n196;
  wire n197;
  wire n198;
  wire [15:0] n199;
  wire [4:0] n2;
  wire n20;
  wire [15:0] n200;
  wire n201;
  wire n202;
  wire [15:0] n203;
  wire [15:0] n204;
  wire [15:0] n205;
  wire n206;
  wire n207;
  wire [15:0] n208;
  wire [15:0] n209;
  wire [7:0] n21;
  wire n210;
  wire n211;
  wire [15:0] n212;
  wire [15:0] n213;
  wire n214;
  wire n215;
  wire [15:0] n216;
  wire [15:0] n217;
  wire n218;
  wire n219;
  wire [7:0] n22;
  wire [15:0] n220;
  wire [15:0] n221;
  wire [15:0] n222;
  wire n223;
  wire n224;
  wire [15:0] n225;
  wire [15:0] n226;
  wire n227;
  wire n228;
  wire [15:0] n229;
  wire n23;
  wire [15:0] n230;
  wire n231;
  wire n232;
  wire [15:0] n233;
  wire [15:0] n234;
  wire n235;
  wire n236;
  wire [15:0] n237;
  wire [15:0] n238;
  wire [15:0] n239;
  wire n24;
  wire n240;
  wire n241;
  wire [15:0] n242;
  wire [15:0] n243;
  wire n244;
  wire n245;
  wire [15:0] n246;
  wire [15:0] n247;
  wire n248;
  wire n249;
  wire n25;
  wire [15:0] n250;
  wire [15:0] n251;
  wire n252;
  wire n253;
  wire [15:0] n254;
  wire [15:0] n255;
  wire n256;
  wire n257;
  wire n258;
  wire n259;
  wire n26;
  wire n260;
  wire n261;
  wire n262;
  wire n263;
  wire n264;
  wire n265;
  wire n266;
  wire n267;
  wire [7:0] n27;
  wire [7:0] n28;
  wire n29;
  wire [4:0] n3;
  wire n30;
  wire n31;
  wire n32;
  wire [7:0] n33;
  wire [7:0] n34;
  wire n35;
  wire n36;
  wire n37;
  wire n38;
  wire [7:0] n39;
  wire [4:0] n4;
  wire [7:0] n40;
  wire n41;
  wire n42;
  wire n43;
  wire n44;
  wire n45;
  wire n46;
  wire n47;
  wire n48;
  wire n49;
  wire [8:0] n5;
  wire n50;
  wire n51;
  wire n52;
  wire n53;
  wire n54;
  wire n55;
  wire n56;
  wire n57;
  wire n58;
  wire n59;
  wire [2:0] n6;
  wire n60;
  wire n61;
  wire n62;
  wire n63;
  wire [7:0] n64;
  wire [7:0] n65;
  wire n66;
  wire n67;
  wire n68;
  wire n69;
  wire [9:0] n7;
  wire [7:0] n70;
  wire [7:0] n71;
  wire n72;
  wire n73;
  wire n74;
  wire n75;
  wire [7:0] n76;
  wire [7:0] n77;
  wire n78;
  wire n79;
  wire [8:0] n8;
  wire n80;
  wire n81;
  wire [7:0] n82;
  wire [7:0] n83;
  wire n84;
  wire n85;
  wire n86;
  wire n87;
  wire n88;
  wire n89;
  wire [2:0] n9;
  wire n90;
  wire n91;
  wire n92;
  wire n93;
  wire n94;
  wire n95;
  wire n96;
  wire n97;
  wire n98;
  wire n99;
  wire arrived_late3;
  reg [7:0] bank_0_0_0_address = 8'h00;
  reg bank_0_0_0_asked = 1'h0;
  wire [15:0] bank_0_word;
  reg [7:0] bank_1_0_0_address = 8'h00;
  reg bank_1_0_0_asked = 1'h0;
  wire [15:0] bank_1_word;
  reg [7:0] bank_2_0_0_address = 8'h00;
  reg bank_2_0_0_asked = 1'h0;
  wire [15:0] bank_2_word;
  reg [7:0] bank_3_0_0_address = 8'h00;
  reg bank_3_0_0_asked = 1'h0;
  wire [15:0] bank_3_word;
  wire [7:0] base;
  input clk;
  input commit;
  output free;
  reg fresh1 = 1'h0;
  wire fresh_late3;
  output full;
  output granted;
  wire [7:0] landing;
  reg [7:0] lane0_address = 8'h00;
  reg [1:0] lane0_digit0 = 2'h0;
  wire [3:0] lane0_place0;
  wire [1:0] lane0_turn0_late3;
  reg [15:0] lane0_word = 16'h0000;
  reg [7:0] lane1_address = 8'h00;
  reg [1:0] lane1_digit0 = 2'h0;
  wire [3:0] lane1_place0;
  wire [1:0] lane1_turn0_late3;
  reg [15:0] lane1_word = 16'h0000;
  reg [7:0] lane2_address = 8'h00;
  reg [1:0] lane2_digit0 = 2'h0;
  wire [3:0] lane2_place0;
  wire [1:0] lane2_turn0_late3;
  reg [15:0] lane2_word = 16'h0000;
  reg [7:0] lane3_address = 8'h00;
  reg [1:0] lane3_digit0 = 2'h0;
  wire [3:0] lane3_place0;
  wire [1:0] lane3_turn0_late3;
  reg [15:0] lane3_word = 16'h0000;
  wire owner_commit;
  wire owner_free;
  wire owner_full;
  wire owner_granted;
  wire [6:0] owner_read_base;
  wire owner_reserve;
  wire owner_retire;
  wire [6:0] owner_write_base;
  input [6:0] r_address;
  output [63:0] r_data;
  input r_fresh;
  input [3:0] r_place0;
  input r_step;
  input reserve;
  input retire;
  input rst;
  reg step1 = 1'h0;
  input [6:0] w_address;
  input [15:0] w_data;
  input [1:0] w_digit0;
  input w_valid;
  assign landing = owner_write_base + w_address;
  assign base = owner_read_base + r_address;
  assign n1 = r_place0 + 1'h0;
  assign n2 = r_place0 + 1'h1;
  assign n3 = r_place0 + 2'h2;
  assign n4 = r_place0 + 2'h3;
  assign n5 = base + 1'h0;
  assign n7 = n5 + n6;
  assign n8 = base + 1'h0;
  assign n10 = n8 + n9;
  assign n11 = base + 1'h0;
  assign n13 = n11 + n12;
  assign n14 = base + 1'h0;
  assign n16 = n14 + n15;
  assign n17 = step1 & fresh1;
  assign n18 = ! lane0_digit0;
  assign n20 = n17 & n19;
  assign n21 = n20 ? lane0_address : 8'h00;
  assign n23 = step1 & fresh1;
  assign n24 = ! lane1_digit0;
  assign n26 = n23 & n25;
  assign n27 = n26 ? lane1_address : 8'h00;
  assign n28 = n22 | n27;
  assign n29 = step1 & fresh1;
  assign n30 = ! lane2_digit0;
  assign n32 = n29 & n31;
  assign n33 = n32 ? lane2_address : 8'h00;
  assign n34 = n28 | n33;
  assign n36 = ! lane3_digit0;
  assign n38 = n35 & n37;
  assign n39 = n38 ? lane3_address : 8'h00;
  assign n40 = n34 | n39;
  assign n41 = step1 & fresh1;
  assign n42 = ! lane0_digit0;
  assign n44 = n41 & n43;
  assign n45 = step1 & fresh1;
  assign n46 = ! lane1_digit0;
  assign n48 = n45 & n47;
  assign n49 = n44 | n48;
  assign n50 = step1 & fresh1;
  assign n51 = ! lane2_digit0;
  assign n53 = n50 & n52;
  assign n54 = n49 | n53;
  assign n56 = ! lane3_digit0;
  assign n58 = n55 & n57;
  assign n59 = n54 | n58;
  assign n60 = step1 & fresh1;
  assign n61 = lane0_digit0 == 1'h1;
  assign n63 = n60 & n62;
  assign n64 = n63 ? lane0_address : 8'h00;
  assign n66 = step1 & fresh1;
  assign n67 = lane1_digit0 == 1'h1;
  assign n69 = n66 & n68;
  assign n70 = n69 ? lane1_address : 8'h00;
  assign n71 = n65 | n70;
  assign n72 = step1 & fresh1;
  assign n73 = lane2_digit0 == 1'h1;
  assign n75 = n72 & n74;
  assign n76 = n75 ? lane2_address : 8'h00;
  assign n77 = n71 | n76;
  assign n79 = lane3_digit0 == 1'h1;
  assign n81 = n78 & n80;
  assign n82 = n81 ? lane3_address : 8'h00;
  assign n83 = n77 | n82;
  assign n84 = step1 & fresh1;
  assign n85 = lane0_digit0 == 1'h1;
  assign n87 = n84 & n86;
  assign n88 = step1 & fresh1;
  assign n89 = lane1_digit0 == 1'h1;
  assign n91 = n88 & n90;
  assign n92 = n87 | n91;
  assign n93 = step1 & fresh1;
  assign n94 = lane2_digit0 == 1'h1;
  assign n96 = n93 & n95;
  assign n97 = n92 | n96;
  assign n99 = lane3_digit0 == 1'h1;
  assign n101 = n98 & n100;
  assign n102 = n97 | n101;
  assign n103 = step1 & fresh1;
  assign n104 = lane0_digit0 == 2'h2;
  assign n106 = n103 & n105;
  assign n107 = n106 ? lane0_address : 8'h00;
  assign n109 = step1 & fresh1;
  assign n110 = lane1_digit0 == 2'h2;
  assign n112 = n109 & n111;
  assign n113 = n112 ? lane1_address : 8'h00;
  assign n114 = n108 | n113;
  assign n115 = step1 & fresh1;
  assign n116 = lane2_digit0 == 2'h2;
  assign n118 = n115 & n117;
  assign n119 = n118 ? lane2_address : 8'h00;
  assign n120 = n114 | n119;
  assign n122 = lane3_digit0 == 2'h2;
  assign n124 = n121 & n123;
  assign n125 = n124 ? lane3_address : 8'h00;
  assign n126 = n120 | n125;
  assign n127 = step1 & fresh1;
  assign n128 = lane0_digit0 == 2'h2;
  assign n130 = n127 & n129;
  assign n131 = step1 & fresh1;
  assign n132 = lane1_digit0 == 2'h2;
  assign n134 = n131 & n133;
  assign n135 = n130 | n134;
  assign n136 = step1 & fresh1;
  assign n137 = lane2_digit0 == 2'h2;
  assign n139 = n136 & n138;
  assign n140 = n135 | n139;
  assign n142 = lane3_digit0 == 2'h2;
  assign n144 = n141 & n143;
  assign n145 = n140 | n144;
  assign n146 = step1 & fresh1;
  assign n147 = lane0_digit0 == 2'h3;
  assign n149 = n146 & n148;
  assign n150 = n149 ? lane0_address : 8'h00;
  assign n152 = step1 & fresh1;
  assign n153 = lane1_digit0 == 2'h3;
  assign n155 = n152 & n154;
  assign n156 = n155 ? lane1_address : 8'h00;
  assign n157 = n151 | n156;
  assign n158 = step1 & fresh1;
  assign n159 = lane2_digit0 == 2'h3;
  assign n161 = n158 & n160;
  assign n162 = n161 ? lane2_address : 8'h00;
  assign n163 = n157 | n162;
  assign n165 = lane3_digit0 == 2'h3;
  assign n167 = n164 & n166;
  assign n168 = n167 ? lane3_address : 8'h00;
  assign n169 = n163 | n168;
  assign n170 = step1 & fresh1;
  assign n171 = lane0_digit0 == 2'h3;
  assign n173 = n170 & n172;
  assign n174 = step1 & fresh1;
  assign n175 = lane1_digit0 == 2'h3;
  assign n177 = n174 & n176;
  assign n178 = n173 | n177;
  assign n179 = step1 & fresh1;
  assign n180 = lane2_digit0 == 2'h3;
  assign n182 = n179 & n181;
  assign n183 = n178 | n182;
  assign n185 = lane3_digit0 == 2'h3;
  assign n187 = n184 & n186;
  assign n188 = n183 | n187;
  assign n189 = ! lane0_turn0_late3;
  assign n191 = n190 ? bank_0_word : 16'h0000;
  assign n193 = lane0_turn0_late3 == 1'h1;
  assign n195 = n194 ? bank_1_word : 16'h0000;
  assign n196 = n192 | n195;
  assign n197 = lane0_turn0_late3 == 2'h2;
  assign n199 = n198 ? bank_2_word : 16'h0000;
  assign n200 = n196 | n199;
  assign n201 = lane0_turn0_late3 == 2'h3;
  assign n203 = n202 ? bank_3_word : 16'h0000;
  assign n204 = n200 | n203;
  assign n205 = fresh_late3 ? n204 : lane1_word;
  assign n206 = ! lane1_turn0_late3;
  assign n208 = n207 ? bank_0_word : 16'h0000;
  assign n210 = lane1_turn0_late3 == 1'h1;
  assign n212 = n211 ? bank_1_word : 16'h0000;
  assign n213 = n209 | n212;
  assign n214 = lane1_turn0_late3 == 2'h2;
  assign n216 = n215 ? bank_2_word : 16'h0000;
  assign n217 = n213 | n216;
  assign n218 = lane1_turn0_late3 == 2'h3;
  assign n220 = n219 ? bank_3_word : 16'h0000;
  assign n221 = n217 | n220;
  assign n222 = fresh_late3 ? n221 : lane2_word;
  assign n223 = ! lane2_turn0_late3;
  assign n225 = n224 ? bank_0_word : 16'h0000;
  assign n227 = lane2_turn0_late3 == 1'h1;
  assign n229 = n228 ? bank_1_word : 16'h0000;
  assign n230 = n226 | n229;
  assign n231 = lane2_turn0_late3 == 2'h2;
  assign n233 = n232 ? bank_2_word : 16'h0000;
  assign n234 = n230 | n233;
  assign n235 = lane2_turn0_late3 == 2'h3;
  assign n237 = n236 ? bank_3_word : 16'h0000;
  assign n238 = n234 | n237;
  assign n239 = fresh_late3 ? n238 : lane3_word;
  assign n240 = ! lane3_turn0_late3;
  assign n242 = n241 ? bank_0_word : 16'h0000;
  assign n244 = lane3_turn0_late3 == 1'h1;
  assign n246 = n245 ? bank_1_word : 16'h0000;
  assign n247 = n243 | n246;
  assign n248 = lane3_turn0_late3 == 2'h2;
  assign n250 = n249 ? bank_2_word : 16'h0000;
  assign n251 = n247 | n250;
  assign n252 = lane3_turn0_late3 == 2'h3;
  assign n254 = n253 ? bank_3_word : 16'h0000;
  assign n255 = n251 | n254;
  assign n257 = ! w_digit0;
  assign n258 = n256 & n257;
  assign n260 = w_digit0 == 1'h1;
  assign n261 = n259 & n260;
  assign n263 = w_digit0 == 2'h2;
  assign n264 = n262 & n263;
  assign n266 = w_digit0 == 2'h3;
  assign n267 = n265 & n266;
  always @(posedge clk)
    lane0_digit0 <= n1[1:0];
  always @(posedge clk)
    lane0_address <= n7[7:0];
  always @(posedge clk)
    lane1_digit0 <= n2[1:0];
  always @(posedge clk)
    lane1_address <= n10[7:0];
  always @(posedge clk)
    lane2_digit0 <= n3[1:0];
  always @(posedge clk)
    lane2_address <= n13[7:0];
  always @(posedge clk)
    lane3_digit0 <= n4[1:0];
  always @(posedge clk)
    lane3_address <= n16[7:0];
  always @(posedge clk)
    fresh1 <= r_fresh;
  always @(posedge clk)
    bank_0_0_0_address <= n40;
  always @(posedge clk)
    bank_0_0_0_asked <= n59;
  always @(posedge clk)
    bank_1_0_0_address <= n83;
  always @(posedge clk)
    bank_1_0_0_asked <= n102;
  always @(posedge clk)
    bank_2_0_0_address <= n126;
  always @(posedge clk)
    bank_2_0_0_asked <= n145;
  always @(posedge clk)
    bank_3_0_0_address <= n169;
  always @(posedge clk)
    bank_3_0_0_asked <= n188;
  halidehw_delay_reset #(
    .DEPTH(32'd3),
    .WIDTH(32'd1)
  ) arrived_delay3 (
    .clk(clk),
    .d(step1),
    .q(arrived_late3),
    .rst(rst)
  );
  halidehw_ram #(
    .ADDRESS(32'd8),
    .DEPTH(32'd216),
    .WIDTH(32'd16)
  ) bank_0 (
    .clk(clk),
    .read_address(bank_0_0_0_address),
    .read_data(bank_0_word),
    .read_enable(bank_0_0_0_asked),
    .write_address(landing),
    .write_data(w_data),
    .write_enable(n258)
  );
  halidehw_ram #(
    .ADDRESS(32'd8),
    .DEPTH(32'd216),
    .WIDTH(32'd16)
  ) bank_1 (
    .clk(clk),
    .read_address(bank_1_0_0_address),
    .read_data(bank_1_word),
    .read_enable(bank_1_0_0_asked),
    .write_address(landing),
    .write_data(w_data),
    .write_enable(n261)
  );
  halidehw_ram #(
    .ADDRESS(32'd8),
    .DEPTH(32'd216),
    .WIDTH(32'd16)
  ) bank_2 (
    .clk(clk),
    .read_address(bank_2_0_0_address),
    .read_data(bank_2_word),
    .read_enable(bank_2_0_0_asked),
    .write_address(landing),
    .write_data(w_data),
    .write_enable(n264)
  );
  halidehw_ram #(
    .ADDRESS(32'd8),
    .DEPTH(32'd216),
    .WIDTH(32'd16)
  ) bank_3 (
    .clk(clk),
    .read_address(bank_3_0_0_address),
    .read_data(bank_3_word),
    .read_enable(bank_3_0_0_asked),
    .write_address(landing),
    .write_data(w_data),
    .write_enable(n267)
  );
  halidehw_delay #(
    .DEPTH(32'd3),
    .WIDTH(32'd1)
  ) fresh_delay3 (
    .clk(clk),
    .d(fresh1),
    .q(fresh_late3)
  );
  halidehw_delay #(
    .DEPTH(32'd3),
    .WIDTH(32'd2)
  ) lane0_turn0_delay3 (
    .clk(clk),
    .d(lane0_digit0),
    .q(lane0_turn0_late3)
  );
  halidehw_delay #(
    .DEPTH(32'd3),
    .WIDTH(32'd2)
  ) lane1_turn0_delay3 (
    .clk(clk),
    .d(lane1_digit0),
    .q(lane1_turn0_late3)
  );
  halidehw_delay #(
    .DEPTH(32'd3),
    .WIDTH(32'd2)
  ) lane2_turn0_delay3 (
    .clk(clk),
    .d(lane2_digit0),
    .q(lane2_turn0_late3)
  );
  halidehw_delay #(
    .DEPTH(32'd3),
    .WIDTH(32'd2)
  ) lane3_turn0_delay3 (
    .clk(clk),
    .d(lane3_digit0),
    .q(lane3_turn0_late3)
  );
  ping_pong owner (
    .clk(clk),
    .commit(commit),
    .free(free),
    .full(full),
    .granted(granted),
    .read_base(owner_read_base),
    .reserve(reserve),
    .retire(retire),
    .rst(rst),
    .write_base(owner_write_base)
  );
  always @(posedge clk) begin
    step1 <= r_step;
    if (rst) begin
      step1 <= 1'h0;
    end
  end
  always @(posedge clk) begin
    if (arrived_late3) begin
      lane0_word <= n205;
    end
  end
  always @(posedge clk) begin
    if (arrived_late3) begin
      lane1_word <= n222;
    end
  end
  always @(posedge clk) begin
    if (arrived_late3) begin
      lane2_word <= n239;
    end
  end
  always @(posedge clk) begin
    if (arrived_late3) begin
      lane3_word <= n255;
    end
  end
  assign owner_reserve = reserve;
  assign owner_commit = commit;
  assign owner_retire = retire;
  assign owner_free = free;
  assign owner_granted = granted;
  assign owner_full = full;
  assign lane0_place0 = n1[3:0];
  assign lane1_place0 = n2[3:0];
  assign lane2_place0 = n3[3:0];
  assign lane3_place0 = n4[3:0];
  assign r_data = { lane3_word, lane2_word, lane1_word, lane0_word };
  assign n6 = { 1'h0, n1[3:2] };
  assign n9 = { 1'h0, n2[3:2] };
  assign n12 = { 1'h0, n3[3:2] };
  assign n15 = { 1'h0, n4[3:2] };
  assign n19 = n18;
  assign n22 = n21;
  assign n25 = n24;
  assign n31 = n30;
  assign n35 = step1;
  assign n37 = n36;
  assign n43 = n42;
  assign n47 = n46;
  assign n52 = n51;
  assign n55 = step1;
  assign n57 = n56;
  assign n62 = n61;
  assign n65 = n64;
  assign n68 = n67;
  assign n74 = n73;
  assign n78 = step1;
  assign n80 = n79;
  assign n86 = n85;
  assign n90 = n89;
  assign n95 = n94;
  assign n98 = step1;
  assign n100 = n99;
  assign n105 = n104;
  assign n108 = n107;
  assign n111 = n110;
  assign n117 = n116;
  assign n121 = step1;
  assign n123 = n122;
  assign n129 = n128;
  assign n133 = n132;
  assign n138 = n137;
  assign n141 = step1;
  assign n143 = n142;
  assign n148 = n147;
  assign n151 = n150;
  assign n154 = n153;
  assign n160 = n159;
  assign n164 = step1;
  assign n166 = n165;
  assign n172 = n171;
  assign n176 = n175;
  assign n181 = n180;
  assign n184 = step1;
  assign n186 = n185;
  assign n190 = n189;
  assign n192 = n191;
  assign n194 = n193;
  assign n198 = n197;
  assign n202 = n201;
  assign n207 = n206;
  assign n209 = n208;
  assign n211 = n210;
  assign n215 = n214;
  assign n219 = n218;
  assign n224 = n223;
  assign n226 = n225;
  assign n228 = n227;
  assign n232 = n231;
  assign n236 = n235;
  assign n241 = n240;
  assign n243 = n242;
  assign n245 = n244;
  assign n249 = n248;
  assign n253 = n252;
  assign n256 = w_valid;
  assign n259 = w_valid;
  assign n262 = w_valid;
  assign n265 = w_valid;
endmodule

// Passes the parts of a buffer from its writer to its reader and back, in order.
module ping_pong(commit, retire, clk, rst, free, granted, full, write_base, read_base, reserve);
  wire n1;
  wire n10;
  wire [2:0] n11;
  wire [2:0] n12;
  wire n13;
  wire n14;
  wire n15;
  wire n16;
  wire [2:0] n17;
  wire [2:0] n18;
  wire n19;
  wire n2;
  wire [7:0] n20;
  wire n21;
  wire [7:0] n22;
  wire n3;
  wire n4;
  wire [2:0] n5;
  wire [2:0] n6;
  wire n7;
  wire n8;
  wire n9;
  input clk;
  input commit;
  output free;
  reg [1:0] free_parts = 2'h2;
  output full;
  reg [1:0] full_parts = 2'h0;
  output granted;
  reg [1:0] granted_parts = 2'h0;
  output [6:0] read_base;
  reg [6:0] read_base = 7'h00;
  input reserve;
  input retire;
  input rst;
  output [6:0] write_base;
  reg [6:0] write_base = 7'h00;
  assign free = | free_parts;
  assign granted = granted_parts > commit;
  assign full = | full_parts;
  assign n1 = ~ reserve;
  assign n2 = retire & n1;
  assign n3 = ~ retire;
  assign n4 = reserve & n3;
  assign n5 = free_parts + 1'h1;
  assign n6 = free_parts - 1'h1;
  assign n7 = ~ commit;
  assign n8 = reserve & n7;
  assign n9 = ~ reserve;
  assign n10 = commit & n9;
  assign n11 = granted_parts + 1'h1;
  assign n12 = granted_parts - 1'h1;
  assign n13 = ~ retire;
  assign n14 = commit & n13;
  assign n15 = ~ commit;
  assign n16 = retire & n15;
  assign n17 = full_parts + 1'h1;
  assign n18 = full_parts - 1'h1;
  assign n19 = write_base == 7'h6c;
  assign n20 = write_base + 7'h6c;
  assign n21 = read_base == 7'h6c;
  assign n22 = read_base + 7'h6c;
  always @(posedge clk) begin
    if (n2) begin
      free_parts <= n5[1:0];
    end else if (n4) begin
      free_parts <= n6[1:0];
    end
    if (rst) begin
      free_parts <= 2'h2;
    end
  end
  always @(posedge clk) begin
    if (n8) begin
      granted_parts <= n11[1:0];
    end else if (n10) begin
      granted_parts <= n12[1:0];
    end
    if (rst) begin
      granted_parts <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (n14) begin
      full_parts <= n17[1:0];
    end else if (n16) begin
      full_parts <= n18[1:0];
    end
    if (rst) begin
      full_parts <= 2'h0;
    end
  end
  always @(posedge clk) begin
    if (commit) begin
      if (n19) begin
        write_base <= 7'h00;
      end else begin
        write_base <= n20[6:0];
      end
    end
    if (rst) begin
      write_base <= 7'h00;
    end
  end
  always @(posedge clk) begin
    if (retire) begin
      if (n21) begin
        read_base <= 7'h00;
      end else begin
        read_base <= n22[6:0];
      end
    end
    if (rst) begin
      read_base <= 7'h00;
    end
  end
endmodule

// A memory with one write port and one read port: synchronous, read latency 2 (a register behind the array, whose
// own delay is long), no reset. No user needs a word that is read in the cycle in which it is written: the parts of
// a buffer and forwarding of sums see to that, so synthesis need not guard its old value (`no_rw_check`).
module halidehw_ram #(
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
module halidehw_delay #(
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
module halidehw_delay_reset #(
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
