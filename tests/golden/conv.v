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
  reg n13;
  reg n14;
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
  wire clk;
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
  wire [10:0] input_req_addr;
  input input_req_ready;
  wire input_req_ready;
  output input_req_valid;
  wire input_req_valid;
  input [15:0] input_resp_data;
  wire [15:0] input_resp_data;
  output input_resp_ready;
  wire input_resp_ready;
  input input_resp_valid;
  wire input_resp_valid;
  output [47:0] input_words;
  reg [47:0] input_words = 48'h000000000000;
  output [14:0] output_addr;
  wire [14:0] output_addr;
  output [31:0] output_data;
  wire [31:0] output_data;
  input output_ready;
  wire output_ready;
  output output_valid;
  wire output_valid;
  output [47:0] output_words;
  reg [47:0] output_words = 48'h000000000000;
  wire [15:0] read1_late2;
  input rst;
  wire rst;
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
  wire start;
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
  wire [12:0] w_req_addr;
  input w_req_ready;
  wire w_req_ready;
  output w_req_valid;
  wire w_req_valid;
  input [15:0] w_resp_data;
  wire [15:0] w_resp_data;
  output w_resp_ready;
  wire w_resp_ready;
  input w_resp_valid;
  wire w_resp_valid;
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
    running <= n13;
  always @(posedge clk)
    done <= n14;
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
  always @(*) begin
    n13 = running;
    if (go) begin
      n13 = 1'h1;
    end else if (n3) begin
      n13 = 1'h0;
    end
    if (rst) begin
      n13 = 1'h0;
    end
  end
  always @(*) begin
    n14 = done;
    if (go) begin
      n14 = 1'h0;
    end else if (n3) begin
      n14 = 1'h1;
    end
    if (rst) begin
      n14 = 1'h0;
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
  reg n10;
  reg [1:0] n11;
  wire n2;
  wire n3;
  wire n4;
  wire [4:0] n5;
  wire n6;
  wire [5:0] n7;
  wire [1:0] n8;
  reg [3:0] n9;
  output [14:0] addr;
  wire [14:0] addr;
  wire [14:0] address_late5;
  wire arrival_late5;
  input base;
  wire base;
  input clk;
  wire clk;
  output [31:0] data;
  wire [31:0] data;
  output drain_address;
  reg drain_address = 1'h0;
  input [31:0] drain_data;
  wire [31:0] drain_data;
  output [1:0] drain_xi_lane;
  reg [1:0] drain_xi_lane = 2'h0;
  output idle;
  wire idle;
  wire [46:0] r_data;
  wire r_en;
  wire r_rdy;
  input ready;
  wire ready;
  output retire;
  wire retire;
  input rst;
  wire rst;
  input start;
  wire start;
  input tile_full;
  wire tile_full;
  output valid;
  wire valid;
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
  always @(posedge clk)
    words_pending <= n9;
  always @(posedge clk)
    drain_address <= n10;
  always @(posedge clk)
    drain_xi_lane <= n11;
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
  always @(*) begin
    n9 = n7[3:0];
    if (rst) begin
      n9 = 4'h0;
    end
  end
  always @(*) begin
    n10 = n8[0];
    if (rst) begin
      n10 = 1'h0;
    end
  end
  always @(*) begin
    n11 = walk_drain_xi_lane;
    if (rst) begin
      n11 = 2'h0;
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
  reg [2:0] n27;
  reg [2:0] n28;
  reg [3:0] n29;
  wire [4:0] n3;
  reg n30;
  wire n4;
  wire [3:0] n5;
  wire n6;
  wire n7;
  wire n8;
  wire [3:0] n9;
  input clk;
  wire clk;
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
  wire [46:0] r_data;
  input r_en;
  wire r_en;
  wire [3:0] r_level;
  reg [2:0] r_port__addr = 3'h0;
  wire [46:0] r_port__data;
  wire r_port__en;
  output r_rdy;
  reg r_rdy = 1'h0;
  input rst;
  wire rst;
  wire [46:0] w_data;
  input w_en;
  wire w_en;
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
  always @(posedge clk)
    w_port__addr <= n27;
  always @(posedge clk)
    r_port__addr <= n28;
  always @(posedge clk)
    inner_level <= n29;
  always @(posedge clk)
    r_rdy <= n30;
  always @(*) begin
    n27 = w_port__addr;
    if (n4) begin
      n27 = n5[2:0];
    end
    if (rst) begin
      n27 = 3'h0;
    end
  end
  always @(*) begin
    n28 = r_port__addr;
    if (n8) begin
      n28 = n9[2:0];
    end
    if (rst) begin
      n28 = 3'h0;
    end
  end
  always @(*) begin
    n29 = inner_level;
    if (n15) begin
      n29 = n16[3:0];
    end
    if (n22) begin
      n29 = n23[3:0];
    end
    if (rst) begin
      n29 = 4'h0;
    end
  end
  always @(*) begin
    n30 = r_rdy;
    if (n26) begin
      n30 = 1'h1;
    end else if (r_en) begin
      n30 = 1'h0;
    end
    if (rst) begin
      n30 = 1'h0;
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
  wire n1;
  wire [2:0] n10;
  wire [1:0] n11;
  wire n12;
  wire [14:0] n13;
  wire [14:0] n14;
  wire [3:0] n15;
  wire n16;
  wire [14:0] n17;
  wire [14:0] n18;
  wire [14:0] n19;
  wire n2;
  wire [1:0] n20;
  wire n21;
  wire [14:0] n22;
  wire [14:0] n23;
  wire [14:0] n24;
  wire [14:0] n25;
  wire [1:0] n26;
  wire n27;
  wire [14:0] n28;
  wire [14:0] n29;
  wire n3;
  wire [14:0] n30;
  wire [14:0] n31;
  wire [14:0] n32;
  wire [6:0] n33;
  wire n34;
  wire [14:0] n35;
  wire [14:0] n36;
  wire [14:0] n37;
  wire [14:0] n38;
  wire [14:0] n39;
  wire n4;
  wire [14:0] n40;
  reg n41;
  reg [5:0] n42;
  reg n43;
  reg n44;
  reg n45;
  reg n46;
  reg n47;
  reg n48;
  reg n49;
  wire n5;
  reg n50;
  reg [2:0] n51;
  reg n52;
  reg n53;
  reg n54;
  reg n55;
  reg n56;
  reg [1:0] n57;
  reg n58;
  reg n59;
  wire n6;
  reg [13:0] n60;
  reg [13:0] n61;
  reg [13:0] n62;
  reg [13:0] n63;
  reg [13:0] n64;
  reg [13:0] n65;
  reg [1:0] n66;
  wire [2:0] n7;
  wire n8;
  wire [14:0] n9;
  output [13:0] address;
  reg [13:0] address = 14'h0000;
  reg [13:0] address_at_k = 14'h0000;
  reg [13:0] address_at_xi = 14'h0000;
  wire [13:0] address_at_xi_lane;
  reg [13:0] address_at_xo = 14'h0000;
  reg [13:0] address_at_yi = 14'h0000;
  reg [13:0] address_at_yo = 14'h0000;
  input advance;
  wire advance;
  input clk;
  wire clk;
  output closes;
  wire closes;
  output [1:0] drain_xi_lane;
  reg [1:0] drain_xi_lane = 2'h0;
  wire [1:0] drain_xi_lane_at_xi_lane;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  reg k_zero = 1'h0;
  input rst;
  wire rst;
  input start;
  wire start;
  output valid;
  reg valid = 1'h0;
  output word;
  wire word;
  reg xi_count = 1'h0;
  reg [1:0] xi_lane_count = 2'h0;
  reg xi_lane_last = 1'h0;
  reg xi_lane_zero = 1'h0;
  reg xi_last = 1'h0;
  reg xi_zero = 1'h0;
  reg xo_count = 1'h0;
  reg xo_last = 1'h0;
  reg xo_zero = 1'h0;
  reg [2:0] yi_count = 3'h0;
  reg yi_last = 1'h0;
  reg yi_zero = 1'h0;
  reg yo_count = 1'h0;
  reg yo_last = 1'h0;
  reg yo_zero = 1'h0;
  assign n34 = k_count == 6'h3e;
  assign n35 = address_at_k + 9'h100;
  assign n36 = address_at_k + 9'h100;
  assign n37 = address_at_k + 9'h100;
  assign n38 = address_at_k + 9'h100;
  assign n39 = address_at_k + 9'h100;
  assign n40 = address_at_k + 9'h100;
  always @(posedge clk)
    valid <= n41;
  always @(posedge clk)
    k_count <= n42;
  always @(posedge clk)
    k_zero <= n43;
  always @(posedge clk)
    k_last <= n44;
  always @(posedge clk)
    yo_count <= n45;
  always @(posedge clk)
    yo_zero <= n46;
  always @(posedge clk)
    yo_last <= n47;
  always @(posedge clk)
    xo_count <= n48;
  always @(posedge clk)
    xo_zero <= n49;
  always @(posedge clk)
    xo_last <= n50;
  always @(posedge clk)
    yi_count <= n51;
  always @(posedge clk)
    yi_zero <= n52;
  always @(posedge clk)
    yi_last <= n53;
  always @(posedge clk)
    xi_count <= n54;
  always @(posedge clk)
    xi_zero <= n55;
  always @(posedge clk)
    xi_last <= n56;
  always @(posedge clk)
    xi_lane_count <= n57;
  always @(posedge clk)
    xi_lane_zero <= n58;
  always @(posedge clk)
    xi_lane_last <= n59;
  always @(posedge clk)
    address_at_k <= n60;
  always @(posedge clk)
    address_at_yo <= n61;
  always @(posedge clk)
    address_at_xo <= n62;
  always @(posedge clk)
    address_at_yi <= n63;
  always @(posedge clk)
    address_at_xi <= n64;
  always @(posedge clk)
    address <= n65;
  always @(posedge clk)
    drain_xi_lane <= n66;
  assign n1 = ~ xi_lane_last;
  assign n2 = ~ xi_last;
  assign n3 = ~ yi_last;
  assign n4 = ~ xo_last;
  assign n5 = ~ yo_last;
  assign n6 = ~ k_last;
  assign n7 = xi_lane_count + 1'h1;
  assign n8 = xi_lane_count == 2'h2;
  assign n9 = address + 1'h1;
  assign n10 = drain_xi_lane + 1'h1;
  assign n11 = xi_count + 1'h1;
  assign n12 = ! xi_count;
  assign n13 = address_at_xi + 3'h4;
  assign n14 = address_at_xi + 3'h4;
  assign n15 = yi_count + 1'h1;
  assign n16 = yi_count == 3'h6;
  assign n17 = address_at_yi + 5'h10;
  assign n18 = address_at_yi + 5'h10;
  assign n19 = address_at_yi + 5'h10;
  assign n20 = xo_count + 1'h1;
  assign n21 = ! xo_count;
  assign n22 = address_at_xo + 4'h8;
  assign n23 = address_at_xo + 4'h8;
  assign n24 = address_at_xo + 4'h8;
  assign n25 = address_at_xo + 4'h8;
  assign n26 = yo_count + 1'h1;
  assign n27 = ! yo_count;
  assign n28 = address_at_yo + 8'h80;
  assign n29 = address_at_yo + 8'h80;
  assign n30 = address_at_yo + 8'h80;
  assign n31 = address_at_yo + 8'h80;
  assign n32 = address_at_yo + 8'h80;
  assign n33 = k_count + 1'h1;
  always @(*) begin
    n41 = valid;
    if (start) begin
      n41 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else begin
        n41 = 1'h0;
      end
    end
    if (rst) begin
      n41 = 1'h0;
    end
  end
  always @(*) begin
    n42 = k_count;
    if (start) begin
      n42 = 6'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n42 = n33[5:0];
      end
    end
    if (rst) begin
      n42 = 6'h00;
    end
  end
  always @(*) begin
    n43 = k_zero;
    if (start) begin
      n43 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n43 = 1'h0;
      end
    end
    if (rst) begin
      n43 = 1'h0;
    end
  end
  always @(*) begin
    n44 = k_last;
    if (start) begin
      n44 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n44 = n34;
      end
    end
    if (rst) begin
      n44 = 1'h0;
    end
  end
  always @(*) begin
    n45 = yo_count;
    if (start) begin
      n45 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n45 = n26[0];
      end else if (n6) begin
        n45 = 1'h0;
      end
    end
    if (rst) begin
      n45 = 1'h0;
    end
  end
  always @(*) begin
    n46 = yo_zero;
    if (start) begin
      n46 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n46 = 1'h0;
      end else if (n6) begin
        n46 = 1'h1;
      end
    end
    if (rst) begin
      n46 = 1'h0;
    end
  end
  always @(*) begin
    n47 = yo_last;
    if (start) begin
      n47 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n47 = n27;
      end else if (n6) begin
        n47 = 1'h0;
      end
    end
    if (rst) begin
      n47 = 1'h0;
    end
  end
  always @(*) begin
    n48 = xo_count;
    if (start) begin
      n48 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n48 = n20[0];
      end else if (n5) begin
        n48 = 1'h0;
      end else if (n6) begin
        n48 = 1'h0;
      end
    end
    if (rst) begin
      n48 = 1'h0;
    end
  end
  always @(*) begin
    n49 = xo_zero;
    if (start) begin
      n49 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n49 = 1'h0;
      end else if (n5) begin
        n49 = 1'h1;
      end else if (n6) begin
        n49 = 1'h1;
      end
    end
    if (rst) begin
      n49 = 1'h0;
    end
  end
  always @(*) begin
    n50 = xo_last;
    if (start) begin
      n50 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n50 = n21;
      end else if (n5) begin
        n50 = 1'h0;
      end else if (n6) begin
        n50 = 1'h0;
      end
    end
    if (rst) begin
      n50 = 1'h0;
    end
  end
  always @(*) begin
    n51 = yi_count;
    if (start) begin
      n51 = 3'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n51 = n15[2:0];
      end else if (n4) begin
        n51 = 3'h0;
      end else if (n5) begin
        n51 = 3'h0;
      end else if (n6) begin
        n51 = 3'h0;
      end
    end
    if (rst) begin
      n51 = 3'h0;
    end
  end
  always @(*) begin
    n52 = yi_zero;
    if (start) begin
      n52 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n52 = 1'h0;
      end else if (n4) begin
        n52 = 1'h1;
      end else if (n5) begin
        n52 = 1'h1;
      end else if (n6) begin
        n52 = 1'h1;
      end
    end
    if (rst) begin
      n52 = 1'h0;
    end
  end
  always @(*) begin
    n53 = yi_last;
    if (start) begin
      n53 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n53 = n16;
      end else if (n4) begin
        n53 = 1'h0;
      end else if (n5) begin
        n53 = 1'h0;
      end else if (n6) begin
        n53 = 1'h0;
      end
    end
    if (rst) begin
      n53 = 1'h0;
    end
  end
  always @(*) begin
    n54 = xi_count;
    if (start) begin
      n54 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n54 = n11[0];
      end else if (n3) begin
        n54 = 1'h0;
      end else if (n4) begin
        n54 = 1'h0;
      end else if (n5) begin
        n54 = 1'h0;
      end else if (n6) begin
        n54 = 1'h0;
      end
    end
    if (rst) begin
      n54 = 1'h0;
    end
  end
  always @(*) begin
    n55 = xi_zero;
    if (start) begin
      n55 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n55 = 1'h0;
      end else if (n3) begin
        n55 = 1'h1;
      end else if (n4) begin
        n55 = 1'h1;
      end else if (n5) begin
        n55 = 1'h1;
      end else if (n6) begin
        n55 = 1'h1;
      end
    end
    if (rst) begin
      n55 = 1'h0;
    end
  end
  always @(*) begin
    n56 = xi_last;
    if (start) begin
      n56 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n56 = n12;
      end else if (n3) begin
        n56 = 1'h0;
      end else if (n4) begin
        n56 = 1'h0;
      end else if (n5) begin
        n56 = 1'h0;
      end else if (n6) begin
        n56 = 1'h0;
      end
    end
    if (rst) begin
      n56 = 1'h0;
    end
  end
  always @(*) begin
    n57 = xi_lane_count;
    if (start) begin
      n57 = 2'h0;
    end else if (advance) begin
      if (n1) begin
        n57 = n7[1:0];
      end else if (n2) begin
        n57 = 2'h0;
      end else if (n3) begin
        n57 = 2'h0;
      end else if (n4) begin
        n57 = 2'h0;
      end else if (n5) begin
        n57 = 2'h0;
      end else if (n6) begin
        n57 = 2'h0;
      end
    end
    if (rst) begin
      n57 = 2'h0;
    end
  end
  always @(*) begin
    n58 = xi_lane_zero;
    if (start) begin
      n58 = 1'h1;
    end else if (advance) begin
      if (n1) begin
        n58 = 1'h0;
      end else if (n2) begin
        n58 = 1'h1;
      end else if (n3) begin
        n58 = 1'h1;
      end else if (n4) begin
        n58 = 1'h1;
      end else if (n5) begin
        n58 = 1'h1;
      end else if (n6) begin
        n58 = 1'h1;
      end
    end
    if (rst) begin
      n58 = 1'h0;
    end
  end
  always @(*) begin
    n59 = xi_lane_last;
    if (start) begin
      n59 = 1'h0;
    end else if (advance) begin
      if (n1) begin
        n59 = n8;
      end else if (n2) begin
        n59 = 1'h0;
      end else if (n3) begin
        n59 = 1'h0;
      end else if (n4) begin
        n59 = 1'h0;
      end else if (n5) begin
        n59 = 1'h0;
      end else if (n6) begin
        n59 = 1'h0;
      end
    end
    if (rst) begin
      n59 = 1'h0;
    end
  end
  always @(*) begin
    n60 = address_at_k;
    if (start) begin
      n60 = 14'h0000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n60 = n35[13:0];
      end
    end
    if (rst) begin
      n60 = 14'h0000;
    end
  end
  always @(*) begin
    n61 = address_at_yo;
    if (start) begin
      n61 = 14'h0000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n61 = n28[13:0];
      end else if (n6) begin
        n61 = n36[13:0];
      end
    end
    if (rst) begin
      n61 = 14'h0000;
    end
  end
  always @(*) begin
    n62 = address_at_xo;
    if (start) begin
      n62 = 14'h0000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n62 = n22[13:0];
      end else if (n5) begin
        n62 = n29[13:0];
      end else if (n6) begin
        n62 = n37[13:0];
      end
    end
    if (rst) begin
      n62 = 14'h0000;
    end
  end
  always @(*) begin
    n63 = address_at_yi;
    if (start) begin
      n63 = 14'h0000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n63 = n17[13:0];
      end else if (n4) begin
        n63 = n23[13:0];
      end else if (n5) begin
        n63 = n30[13:0];
      end else if (n6) begin
        n63 = n38[13:0];
      end
    end
    if (rst) begin
      n63 = 14'h0000;
    end
  end
  always @(*) begin
    n64 = address_at_xi;
    if (start) begin
      n64 = 14'h0000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n64 = n13[13:0];
      end else if (n3) begin
        n64 = n18[13:0];
      end else if (n4) begin
        n64 = n24[13:0];
      end else if (n5) begin
        n64 = n31[13:0];
      end else if (n6) begin
        n64 = n39[13:0];
      end
    end
    if (rst) begin
      n64 = 14'h0000;
    end
  end
  always @(*) begin
    n65 = address;
    if (start) begin
      n65 = 14'h0000;
    end else if (advance) begin
      if (n1) begin
        n65 = n9[13:0];
      end else if (n2) begin
        n65 = n14[13:0];
      end else if (n3) begin
        n65 = n19[13:0];
      end else if (n4) begin
        n65 = n25[13:0];
      end else if (n5) begin
        n65 = n32[13:0];
      end else if (n6) begin
        n65 = n40[13:0];
      end
    end
    if (rst) begin
      n65 = 14'h0000;
    end
  end
  always @(*) begin
    n66 = drain_xi_lane;
    if (start) begin
      n66 = 2'h0;
    end else if (advance) begin
      if (n1) begin
        n66 = n10[1:0];
      end else if (n2) begin
        n66 = 2'h0;
      end else if (n3) begin
        n66 = 2'h0;
      end else if (n4) begin
        n66 = 2'h0;
      end else if (n5) begin
        n66 = 2'h0;
      end else if (n6) begin
        n66 = 2'h0;
      end
    end
    if (rst) begin
      n66 = 2'h0;
    end
  end
  assign address_at_xi_lane = address;
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
  reg [1:0] n23;
  reg [1:0] n24;
  reg [1:0] n25;
  reg n26;
  reg n27;
  wire n3;
  wire n4;
  wire [2:0] n5;
  wire [2:0] n6;
  wire n7;
  wire n8;
  wire n9;
  input clk;
  wire clk;
  input commit;
  wire commit;
  wire emptied_late4;
  wire filled_late13;
  output free;
  wire free;
  reg [1:0] free_parts = 2'h2;
  output full;
  wire full;
  reg [1:0] full_parts = 2'h0;
  output granted;
  wire granted;
  reg [1:0] granted_parts = 2'h0;
  output read_base;
  reg read_base = 1'h0;
  input reserve;
  wire reserve;
  input retire;
  wire retire;
  input rst;
  wire rst;
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
  always @(posedge clk)
    free_parts <= n23;
  always @(posedge clk)
    granted_parts <= n24;
  always @(posedge clk)
    full_parts <= n25;
  always @(posedge clk)
    write_base <= n26;
  always @(posedge clk)
    read_base <= n27;
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
  always @(*) begin
    n23 = free_parts;
    if (n2) begin
      n23 = n5[1:0];
    end else if (n4) begin
      n23 = n6[1:0];
    end
    if (rst) begin
      n23 = 2'h2;
    end
  end
  always @(*) begin
    n24 = granted_parts;
    if (n8) begin
      n24 = n11[1:0];
    end else if (n10) begin
      n24 = n12[1:0];
    end
    if (rst) begin
      n24 = 2'h0;
    end
  end
  always @(*) begin
    n25 = full_parts;
    if (n14) begin
      n25 = n17[1:0];
    end else if (n16) begin
      n25 = n18[1:0];
    end
    if (rst) begin
      n25 = 2'h0;
    end
  end
  always @(*) begin
    n26 = write_base;
    if (commit) begin
      if (n19) begin
        n26 = 1'h0;
      end else begin
        n26 = n20[0];
      end
    end
    if (rst) begin
      n26 = 1'h0;
    end
  end
  always @(*) begin
    n27 = read_base;
    if (retire) begin
      if (n21) begin
        n27 = 1'h0;
      end else begin
        n27 = n22[0];
      end
    end
    if (rst) begin
      n27 = 1'h0;
    end
  end
  assign n19 = write_base;
  assign n21 = read_base;
endmodule

// The lanes of one output axis.
module xi_lanes(read1, acc_valid, acc_first, acc_address, drain_address, drain_xi_lane, clk, rst, drain_data, read0);
  reg [31:0] n1;
  reg n2;
  reg [1:0] n3;
  input acc_address;
  wire acc_address;
  input acc_first;
  wire acc_first;
  input acc_valid;
  wire acc_valid;
  input clk;
  wire clk;
  input drain_address;
  wire drain_address;
  reg drain_address1 = 1'h0;
  output [31:0] drain_data;
  reg [31:0] drain_data = 32'd0;
  wire [31:0] drain_data1;
  input [1:0] drain_xi_lane;
  wire [1:0] drain_xi_lane;
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
  wire [63:0] read0;
  wire [15:0] read0_skew1_late1;
  wire [15:0] read0_skew2_late2;
  wire [15:0] read0_skew3_late3;
  input [15:0] read1;
  wire [15:0] read1;
  input rst;
  wire rst;
  always @(posedge clk)
    drain_address1 <= n2;
  always @(posedge clk)
    drain_xi_lane1 <= n3;
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
  always @(*) begin
    n2 = drain_address;
    if (rst) begin
      n2 = 1'h0;
    end
  end
  always @(*) begin
    n3 = drain_xi_lane;
    if (rst) begin
      n3 = 2'h0;
    end
  end
  assign drain_data1 = drain_data;
endmodule

// One output lane: its reduction network and its accumulator.
module output_lane(read1, acc_valid, acc_first, acc_address, drain_address, clk, rst, drain_data, read0);
  input acc_address;
  wire acc_address;
  input acc_first;
  wire acc_first;
  input acc_valid;
  wire acc_valid;
  input clk;
  wire clk;
  input drain_address;
  wire drain_address;
  output [31:0] drain_data;
  wire [31:0] drain_data;
  wire [31:0] product_late2;
  wire [31:0] product_product;
  wire [15:0] product_read0;
  wire [15:0] product_read1;
  input [15:0] read0;
  wire [15:0] read0;
  input [15:0] read1;
  wire [15:0] read1;
  input rst;
  wire rst;
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
  reg n17;
  reg n18;
  reg n19;
  wire [31:0] n2;
  reg n20;
  wire [31:0] n3;
  wire [31:0] n4;
  wire [31:0] n5;
  wire [32:0] n6;
  wire n7;
  wire n8;
  wire n9;
  input address;
  wire address;
  reg address1 = 1'h0;
  reg address2 = 1'h0;
  reg address3 = 1'h0;
  reg address4 = 1'h0;
  input clk;
  wire clk;
  input drain_address;
  wire drain_address;
  output [31:0] drain_data;
  wire [31:0] drain_data;
  wire [31:0] drained_word;
  input first;
  wire first;
  wire first_late2;
  input rst;
  wire rst;
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
  wire valid;
  reg valid1 = 1'h0;
  reg valid2 = 1'h0;
  reg valid3 = 1'h0;
  reg valid4 = 1'h0;
  input [31:0] value;
  wire [31:0] value;
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
    valid1 <= n17;
  always @(posedge clk)
    address1 <= address;
  always @(posedge clk)
    valid2 <= n18;
  always @(posedge clk)
    address2 <= address1;
  always @(posedge clk)
    valid3 <= n19;
  always @(posedge clk)
    address3 <= address2;
  always @(posedge clk)
    valid4 <= n20;
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
  always @(*) begin
    n17 = valid;
    if (rst) begin
      n17 = 1'h0;
    end
  end
  always @(*) begin
    n18 = valid1;
    if (rst) begin
      n18 = 1'h0;
    end
  end
  always @(*) begin
    n19 = valid2;
    if (rst) begin
      n19 = 1'h0;
    end
  end
  always @(*) begin
    n20 = valid3;
    if (rst) begin
      n20 = 1'h0;
    end
  end
  assign drained_word = drain_data;
endmodule

// One multiplier's worth of the array: register files and the expression of one iteration.
module pe(read1, clk, rst, product, read0);
  wire [31:0] n1;
  input clk;
  wire clk;
  wire [31:0] mul1;
  output [31:0] product;
  reg [31:0] product = 32'd0;
  input [15:0] read0;
  wire [15:0] read0;
  input [15:0] read1;
  wire [15:0] read1;
  input rst;
  wire rst;
  assign n1 = $signed(read0) * $signed(read1);
  always @(posedge clk)
    product <= n1;
  assign mul1 = product;
endmodule

// Issues one step of the array per cycle while every operand's tile is there and, at the start of an output
// tile, an accumulator part is free. Addresses and flags of the step are on the outputs in the cycle of `step`.
// Reset: idle; starts with `start`.
module sequencer(free, input_in_full, w_in_full, clk, rst, step, reserve, commit, first, input_in_fresh, acc_address, input_in_address, input_in_place0, w_in_address, input_in_retire, w_in_retire, start);
  wire n1;
  wire n2;
  wire n3;
  wire n4;
  output acc_address;
  wire acc_address;
  input clk;
  wire clk;
  output commit;
  wire commit;
  output first;
  wire first;
  input free;
  wire free;
  output [6:0] input_in_address;
  wire [6:0] input_in_address;
  output input_in_fresh;
  wire input_in_fresh;
  input input_in_full;
  wire input_in_full;
  output [3:0] input_in_place0;
  wire [3:0] input_in_place0;
  output input_in_retire;
  wire input_in_retire;
  output reserve;
  wire reserve;
  input rst;
  wire rst;
  input start;
  wire start;
  output step;
  wire step;
  output [6:0] w_in_address;
  wire [6:0] w_in_address;
  input w_in_full;
  wire w_in_full;
  output w_in_retire;
  wire w_in_retire;
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
  wire n1;
  wire n10;
  wire [4:0] n11;
  wire [7:0] n12;
  wire [3:0] n13;
  wire n14;
  wire [7:0] n15;
  wire [7:0] n16;
  wire [7:0] n17;
  wire [2:0] n18;
  wire n19;
  wire n2;
  wire [7:0] n20;
  wire [7:0] n21;
  wire [7:0] n22;
  wire [7:0] n23;
  wire [7:0] n24;
  wire [1:0] n25;
  wire n26;
  wire [4:0] n27;
  wire [4:0] n28;
  wire [3:0] n29;
  wire n3;
  wire n30;
  wire [7:0] n31;
  wire [7:0] n32;
  wire [7:0] n33;
  wire [1:0] n34;
  wire n35;
  wire [1:0] n36;
  wire n37;
  wire [6:0] n38;
  wire n39;
  wire n4;
  wire n40;
  wire n41;
  wire n42;
  wire n43;
  wire n44;
  wire n45;
  wire n46;
  wire n47;
  wire n48;
  wire n49;
  wire n5;
  wire n50;
  wire n51;
  wire n52;
  wire n53;
  wire n54;
  wire n55;
  reg n56;
  reg [5:0] n57;
  reg n58;
  reg n59;
  wire n6;
  reg n60;
  reg n61;
  reg n62;
  reg n63;
  reg n64;
  reg n65;
  reg [2:0] n66;
  reg n67;
  reg n68;
  reg n69;
  wire n7;
  reg n70;
  reg n71;
  reg [1:0] n72;
  reg n73;
  reg n74;
  reg [2:0] n75;
  reg n76;
  reg n77;
  reg [2:0] n78;
  reg n79;
  wire n8;
  reg n80;
  reg [6:0] n81;
  reg [6:0] n82;
  reg [6:0] n83;
  reg [3:0] n84;
  reg [3:0] n85;
  reg [6:0] n86;
  reg [6:0] n87;
  reg [6:0] n88;
  wire [3:0] n9;
  output acc_address;
  wire acc_address;
  input advance;
  wire advance;
  input clk;
  wire clk;
  output closes;
  wire closes;
  output first;
  wire first;
  output [6:0] input_in_address;
  reg [6:0] input_in_address = 7'h00;
  wire [6:0] input_in_address_at_r_y;
  reg [6:0] input_in_address_at_r_z = 7'h00;
  reg [6:0] input_in_address_at_yi = 7'h00;
  output input_in_fresh;
  wire input_in_fresh;
  output input_in_leaves;
  wire input_in_leaves;
  output [3:0] input_in_place0;
  reg [3:0] input_in_place0 = 4'h0;
  wire [3:0] input_in_place0_at_r_x;
  reg [3:0] input_in_place0_at_xi = 4'h0;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  reg k_zero = 1'h0;
  output opens;
  wire opens;
  reg [2:0] r_x_count = 3'h0;
  reg r_x_last = 1'h0;
  reg r_x_zero = 1'h0;
  reg [2:0] r_y_count = 3'h0;
  reg r_y_last = 1'h0;
  reg r_y_zero = 1'h0;
  reg [1:0] r_z_count = 2'h0;
  reg r_z_last = 1'h0;
  reg r_z_zero = 1'h0;
  input rst;
  wire rst;
  input start;
  wire start;
  output valid;
  reg valid = 1'h0;
  output [6:0] w_in_address;
  reg [6:0] w_in_address = 7'h00;
  wire [6:0] w_in_address_at_r_x;
  reg [6:0] w_in_address_at_r_y = 7'h00;
  reg [6:0] w_in_address_at_r_z = 7'h00;
  output w_in_leaves;
  wire w_in_leaves;
  reg xi_count = 1'h0;
  reg xi_last = 1'h0;
  reg xi_zero = 1'h0;
  reg xo_count = 1'h0;
  reg xo_last = 1'h0;
  reg xo_zero = 1'h0;
  reg [2:0] yi_count = 3'h0;
  reg yi_last = 1'h0;
  reg yi_zero = 1'h0;
  reg yo_count = 1'h0;
  reg yo_last = 1'h0;
  reg yo_zero = 1'h0;
  assign n12 = w_in_address + 1'h1;
  assign n13 = r_y_count + 1'h1;
  assign n14 = r_y_count == 2'h3;
  assign n15 = input_in_address + 2'h3;
  assign n16 = w_in_address_at_r_y + 3'h5;
  assign n17 = w_in_address_at_r_y + 3'h5;
  assign n18 = r_z_count + 1'h1;
  assign n19 = r_z_count == 1'h1;
  assign n20 = input_in_address_at_r_z + 6'h24;
  assign n21 = input_in_address_at_r_z + 6'h24;
  assign n22 = w_in_address_at_r_z + 5'h19;
  assign n23 = w_in_address_at_r_z + 5'h19;
  assign n24 = w_in_address_at_r_z + 5'h19;
  assign n25 = xi_count + 1'h1;
  assign n26 = ! xi_count;
  assign n27 = input_in_place0_at_xi + 3'h4;
  assign n28 = input_in_place0_at_xi + 3'h4;
  assign n29 = yi_count + 1'h1;
  assign n30 = yi_count == 3'h6;
  assign n31 = input_in_address_at_yi + 2'h3;
  assign n32 = input_in_address_at_yi + 2'h3;
  assign n33 = input_in_address_at_yi + 2'h3;
  assign n34 = xo_count + 1'h1;
  assign n35 = ! xo_count;
  assign n36 = yo_count + 1'h1;
  assign n37 = ! yo_count;
  assign n38 = k_count + 1'h1;
  assign n39 = k_count == 6'h3e;
  assign n41 = n40 & r_y_last;
  assign closes = n41 & r_x_last;
  assign n43 = n42 & xi_last;
  assign n44 = n43 & r_z_last;
  assign n45 = n44 & r_y_last;
  assign input_in_leaves = n45 & r_x_last;
  assign n47 = n46 & xo_last;
  assign n48 = n47 & yi_last;
  assign n49 = n48 & xi_last;
  assign n50 = n49 & r_z_last;
  assign n51 = n50 & r_y_last;
  assign w_in_leaves = n51 & r_x_last;
  assign n53 = n52 & r_y_zero;
  assign opens = n53 & r_x_zero;
  assign n55 = n54 & r_y_zero;
  assign first = n55 & r_x_zero;
  always @(posedge clk)
    valid <= n56;
  always @(posedge clk)
    k_count <= n57;
  always @(posedge clk)
    k_zero <= n58;
  always @(posedge clk)
    k_last <= n59;
  always @(posedge clk)
    yo_count <= n60;
  always @(posedge clk)
    yo_zero <= n61;
  always @(posedge clk)
    yo_last <= n62;
  always @(posedge clk)
    xo_count <= n63;
  always @(posedge clk)
    xo_zero <= n64;
  always @(posedge clk)
    xo_last <= n65;
  always @(posedge clk)
    yi_count <= n66;
  always @(posedge clk)
    yi_zero <= n67;
  always @(posedge clk)
    yi_last <= n68;
  always @(posedge clk)
    xi_count <= n69;
  always @(posedge clk)
    xi_zero <= n70;
  always @(posedge clk)
    xi_last <= n71;
  always @(posedge clk)
    r_z_count <= n72;
  always @(posedge clk)
    r_z_zero <= n73;
  always @(posedge clk)
    r_z_last <= n74;
  always @(posedge clk)
    r_y_count <= n75;
  always @(posedge clk)
    r_y_zero <= n76;
  always @(posedge clk)
    r_y_last <= n77;
  always @(posedge clk)
    r_x_count <= n78;
  always @(posedge clk)
    r_x_zero <= n79;
  always @(posedge clk)
    r_x_last <= n80;
  always @(posedge clk)
    input_in_address_at_yi <= n81;
  always @(posedge clk)
    input_in_address_at_r_z <= n82;
  always @(posedge clk)
    input_in_address <= n83;
  always @(posedge clk)
    input_in_place0_at_xi <= n84;
  always @(posedge clk)
    input_in_place0 <= n85;
  always @(posedge clk)
    w_in_address_at_r_z <= n86;
  always @(posedge clk)
    w_in_address_at_r_y <= n87;
  always @(posedge clk)
    w_in_address <= n88;
  assign n1 = ~ r_x_last;
  assign n2 = ~ r_y_last;
  assign n3 = ~ r_z_last;
  assign n4 = ~ xi_last;
  assign n5 = ~ yi_last;
  assign n6 = ~ xo_last;
  assign n7 = ~ yo_last;
  assign n8 = ~ k_last;
  assign n9 = r_x_count + 1'h1;
  assign n10 = r_x_count == 2'h3;
  assign n11 = input_in_place0 + 1'h1;
  always @(*) begin
    n56 = valid;
    if (start) begin
      n56 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
      end else if (n8) begin
      end else begin
        n56 = 1'h0;
      end
    end
    if (rst) begin
      n56 = 1'h0;
    end
  end
  always @(*) begin
    n57 = k_count;
    if (start) begin
      n57 = 6'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
      end else if (n8) begin
        n57 = n38[5:0];
      end
    end
    if (rst) begin
      n57 = 6'h00;
    end
  end
  always @(*) begin
    n58 = k_zero;
    if (start) begin
      n58 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
      end else if (n8) begin
        n58 = 1'h0;
      end
    end
    if (rst) begin
      n58 = 1'h0;
    end
  end
  always @(*) begin
    n59 = k_last;
    if (start) begin
      n59 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
      end else if (n8) begin
        n59 = n39;
      end
    end
    if (rst) begin
      n59 = 1'h0;
    end
  end
  always @(*) begin
    n60 = yo_count;
    if (start) begin
      n60 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
        n60 = n36[0];
      end else if (n8) begin
        n60 = 1'h0;
      end
    end
    if (rst) begin
      n60 = 1'h0;
    end
  end
  always @(*) begin
    n61 = yo_zero;
    if (start) begin
      n61 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
        n61 = 1'h0;
      end else if (n8) begin
        n61 = 1'h1;
      end
    end
    if (rst) begin
      n61 = 1'h0;
    end
  end
  always @(*) begin
    n62 = yo_last;
    if (start) begin
      n62 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
        n62 = n37;
      end else if (n8) begin
        n62 = 1'h0;
      end
    end
    if (rst) begin
      n62 = 1'h0;
    end
  end
  always @(*) begin
    n63 = xo_count;
    if (start) begin
      n63 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n63 = n34[0];
      end else if (n7) begin
        n63 = 1'h0;
      end else if (n8) begin
        n63 = 1'h0;
      end
    end
    if (rst) begin
      n63 = 1'h0;
    end
  end
  always @(*) begin
    n64 = xo_zero;
    if (start) begin
      n64 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n64 = 1'h0;
      end else if (n7) begin
        n64 = 1'h1;
      end else if (n8) begin
        n64 = 1'h1;
      end
    end
    if (rst) begin
      n64 = 1'h0;
    end
  end
  always @(*) begin
    n65 = xo_last;
    if (start) begin
      n65 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n65 = n35;
      end else if (n7) begin
        n65 = 1'h0;
      end else if (n8) begin
        n65 = 1'h0;
      end
    end
    if (rst) begin
      n65 = 1'h0;
    end
  end
  always @(*) begin
    n66 = yi_count;
    if (start) begin
      n66 = 3'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n66 = n29[2:0];
      end else if (n6) begin
        n66 = 3'h0;
      end else if (n7) begin
        n66 = 3'h0;
      end else if (n8) begin
        n66 = 3'h0;
      end
    end
    if (rst) begin
      n66 = 3'h0;
    end
  end
  always @(*) begin
    n67 = yi_zero;
    if (start) begin
      n67 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n67 = 1'h0;
      end else if (n6) begin
        n67 = 1'h1;
      end else if (n7) begin
        n67 = 1'h1;
      end else if (n8) begin
        n67 = 1'h1;
      end
    end
    if (rst) begin
      n67 = 1'h0;
    end
  end
  always @(*) begin
    n68 = yi_last;
    if (start) begin
      n68 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n68 = n30;
      end else if (n6) begin
        n68 = 1'h0;
      end else if (n7) begin
        n68 = 1'h0;
      end else if (n8) begin
        n68 = 1'h0;
      end
    end
    if (rst) begin
      n68 = 1'h0;
    end
  end
  always @(*) begin
    n69 = xi_count;
    if (start) begin
      n69 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n69 = n25[0];
      end else if (n5) begin
        n69 = 1'h0;
      end else if (n6) begin
        n69 = 1'h0;
      end else if (n7) begin
        n69 = 1'h0;
      end else if (n8) begin
        n69 = 1'h0;
      end
    end
    if (rst) begin
      n69 = 1'h0;
    end
  end
  always @(*) begin
    n70 = xi_zero;
    if (start) begin
      n70 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n70 = 1'h0;
      end else if (n5) begin
        n70 = 1'h1;
      end else if (n6) begin
        n70 = 1'h1;
      end else if (n7) begin
        n70 = 1'h1;
      end else if (n8) begin
        n70 = 1'h1;
      end
    end
    if (rst) begin
      n70 = 1'h0;
    end
  end
  always @(*) begin
    n71 = xi_last;
    if (start) begin
      n71 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n71 = n26;
      end else if (n5) begin
        n71 = 1'h0;
      end else if (n6) begin
        n71 = 1'h0;
      end else if (n7) begin
        n71 = 1'h0;
      end else if (n8) begin
        n71 = 1'h0;
      end
    end
    if (rst) begin
      n71 = 1'h0;
    end
  end
  always @(*) begin
    n72 = r_z_count;
    if (start) begin
      n72 = 2'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n72 = n18[1:0];
      end else if (n4) begin
        n72 = 2'h0;
      end else if (n5) begin
        n72 = 2'h0;
      end else if (n6) begin
        n72 = 2'h0;
      end else if (n7) begin
        n72 = 2'h0;
      end else if (n8) begin
        n72 = 2'h0;
      end
    end
    if (rst) begin
      n72 = 2'h0;
    end
  end
  always @(*) begin
    n73 = r_z_zero;
    if (start) begin
      n73 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n73 = 1'h0;
      end else if (n4) begin
        n73 = 1'h1;
      end else if (n5) begin
        n73 = 1'h1;
      end else if (n6) begin
        n73 = 1'h1;
      end else if (n7) begin
        n73 = 1'h1;
      end else if (n8) begin
        n73 = 1'h1;
      end
    end
    if (rst) begin
      n73 = 1'h0;
    end
  end
  always @(*) begin
    n74 = r_z_last;
    if (start) begin
      n74 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n74 = n19;
      end else if (n4) begin
        n74 = 1'h0;
      end else if (n5) begin
        n74 = 1'h0;
      end else if (n6) begin
        n74 = 1'h0;
      end else if (n7) begin
        n74 = 1'h0;
      end else if (n8) begin
        n74 = 1'h0;
      end
    end
    if (rst) begin
      n74 = 1'h0;
    end
  end
  always @(*) begin
    n75 = r_y_count;
    if (start) begin
      n75 = 3'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n75 = n13[2:0];
      end else if (n3) begin
        n75 = 3'h0;
      end else if (n4) begin
        n75 = 3'h0;
      end else if (n5) begin
        n75 = 3'h0;
      end else if (n6) begin
        n75 = 3'h0;
      end else if (n7) begin
        n75 = 3'h0;
      end else if (n8) begin
        n75 = 3'h0;
      end
    end
    if (rst) begin
      n75 = 3'h0;
    end
  end
  always @(*) begin
    n76 = r_y_zero;
    if (start) begin
      n76 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n76 = 1'h0;
      end else if (n3) begin
        n76 = 1'h1;
      end else if (n4) begin
        n76 = 1'h1;
      end else if (n5) begin
        n76 = 1'h1;
      end else if (n6) begin
        n76 = 1'h1;
      end else if (n7) begin
        n76 = 1'h1;
      end else if (n8) begin
        n76 = 1'h1;
      end
    end
    if (rst) begin
      n76 = 1'h0;
    end
  end
  always @(*) begin
    n77 = r_y_last;
    if (start) begin
      n77 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n77 = n14;
      end else if (n3) begin
        n77 = 1'h0;
      end else if (n4) begin
        n77 = 1'h0;
      end else if (n5) begin
        n77 = 1'h0;
      end else if (n6) begin
        n77 = 1'h0;
      end else if (n7) begin
        n77 = 1'h0;
      end else if (n8) begin
        n77 = 1'h0;
      end
    end
    if (rst) begin
      n77 = 1'h0;
    end
  end
  always @(*) begin
    n78 = r_x_count;
    if (start) begin
      n78 = 3'h0;
    end else if (advance) begin
      if (n1) begin
        n78 = n9[2:0];
      end else if (n2) begin
        n78 = 3'h0;
      end else if (n3) begin
        n78 = 3'h0;
      end else if (n4) begin
        n78 = 3'h0;
      end else if (n5) begin
        n78 = 3'h0;
      end else if (n6) begin
        n78 = 3'h0;
      end else if (n7) begin
        n78 = 3'h0;
      end else if (n8) begin
        n78 = 3'h0;
      end
    end
    if (rst) begin
      n78 = 3'h0;
    end
  end
  always @(*) begin
    n79 = r_x_zero;
    if (start) begin
      n79 = 1'h1;
    end else if (advance) begin
      if (n1) begin
        n79 = 1'h0;
      end else if (n2) begin
        n79 = 1'h1;
      end else if (n3) begin
        n79 = 1'h1;
      end else if (n4) begin
        n79 = 1'h1;
      end else if (n5) begin
        n79 = 1'h1;
      end else if (n6) begin
        n79 = 1'h1;
      end else if (n7) begin
        n79 = 1'h1;
      end else if (n8) begin
        n79 = 1'h1;
      end
    end
    if (rst) begin
      n79 = 1'h0;
    end
  end
  always @(*) begin
    n80 = r_x_last;
    if (start) begin
      n80 = 1'h0;
    end else if (advance) begin
      if (n1) begin
        n80 = n10;
      end else if (n2) begin
        n80 = 1'h0;
      end else if (n3) begin
        n80 = 1'h0;
      end else if (n4) begin
        n80 = 1'h0;
      end else if (n5) begin
        n80 = 1'h0;
      end else if (n6) begin
        n80 = 1'h0;
      end else if (n7) begin
        n80 = 1'h0;
      end else if (n8) begin
        n80 = 1'h0;
      end
    end
    if (rst) begin
      n80 = 1'h0;
    end
  end
  always @(*) begin
    n81 = input_in_address_at_yi;
    if (start) begin
      n81 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n81 = n31[6:0];
      end else if (n6) begin
        n81 = 7'h00;
      end else if (n7) begin
        n81 = 7'h00;
      end else if (n8) begin
        n81 = 7'h00;
      end
    end
    if (rst) begin
      n81 = 7'h00;
    end
  end
  always @(*) begin
    n82 = input_in_address_at_r_z;
    if (start) begin
      n82 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n82 = n20[6:0];
      end else if (n4) begin
        n82 = input_in_address_at_yi;
      end else if (n5) begin
        n82 = n32[6:0];
      end else if (n6) begin
        n82 = 7'h00;
      end else if (n7) begin
        n82 = 7'h00;
      end else if (n8) begin
        n82 = 7'h00;
      end
    end
    if (rst) begin
      n82 = 7'h00;
    end
  end
  always @(*) begin
    n83 = input_in_address;
    if (start) begin
      n83 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n83 = n15[6:0];
      end else if (n3) begin
        n83 = n21[6:0];
      end else if (n4) begin
        n83 = input_in_address_at_yi;
      end else if (n5) begin
        n83 = n33[6:0];
      end else if (n6) begin
        n83 = 7'h00;
      end else if (n7) begin
        n83 = 7'h00;
      end else if (n8) begin
        n83 = 7'h00;
      end
    end
    if (rst) begin
      n83 = 7'h00;
    end
  end
  always @(*) begin
    n84 = input_in_place0_at_xi;
    if (start) begin
      n84 = 4'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n84 = n27[3:0];
      end else if (n5) begin
        n84 = 4'h0;
      end else if (n6) begin
        n84 = 4'h0;
      end else if (n7) begin
        n84 = 4'h0;
      end else if (n8) begin
        n84 = 4'h0;
      end
    end
    if (rst) begin
      n84 = 4'h0;
    end
  end
  always @(*) begin
    n85 = input_in_place0;
    if (start) begin
      n85 = 4'h0;
    end else if (advance) begin
      if (n1) begin
        n85 = n11[3:0];
      end else if (n2) begin
        n85 = input_in_place0_at_xi;
      end else if (n3) begin
        n85 = input_in_place0_at_xi;
      end else if (n4) begin
        n85 = n28[3:0];
      end else if (n5) begin
        n85 = 4'h0;
      end else if (n6) begin
        n85 = 4'h0;
      end else if (n7) begin
        n85 = 4'h0;
      end else if (n8) begin
        n85 = 4'h0;
      end
    end
    if (rst) begin
      n85 = 4'h0;
    end
  end
  always @(*) begin
    n86 = w_in_address_at_r_z;
    if (start) begin
      n86 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n86 = n22[6:0];
      end else if (n4) begin
        n86 = 7'h00;
      end else if (n5) begin
        n86 = 7'h00;
      end else if (n6) begin
        n86 = 7'h00;
      end else if (n7) begin
        n86 = 7'h00;
      end else if (n8) begin
        n86 = 7'h00;
      end
    end
    if (rst) begin
      n86 = 7'h00;
    end
  end
  always @(*) begin
    n87 = w_in_address_at_r_y;
    if (start) begin
      n87 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n87 = n16[6:0];
      end else if (n3) begin
        n87 = n23[6:0];
      end else if (n4) begin
        n87 = 7'h00;
      end else if (n5) begin
        n87 = 7'h00;
      end else if (n6) begin
        n87 = 7'h00;
      end else if (n7) begin
        n87 = 7'h00;
      end else if (n8) begin
        n87 = 7'h00;
      end
    end
    if (rst) begin
      n87 = 7'h00;
    end
  end
  always @(*) begin
    n88 = w_in_address;
    if (start) begin
      n88 = 7'h00;
    end else if (advance) begin
      if (n1) begin
        n88 = n12[6:0];
      end else if (n2) begin
        n88 = n17[6:0];
      end else if (n3) begin
        n88 = n24[6:0];
      end else if (n4) begin
        n88 = 7'h00;
      end else if (n5) begin
        n88 = 7'h00;
      end else if (n6) begin
        n88 = 7'h00;
      end else if (n7) begin
        n88 = 7'h00;
      end else if (n8) begin
        n88 = 7'h00;
      end
    end
    if (rst) begin
      n88 = 7'h00;
    end
  end
  assign input_in_address_at_r_y = input_in_address;
  assign input_in_place0_at_r_x = input_in_place0;
  assign w_in_address_at_r_x = w_in_address;
  assign acc_address = 1'h0;
  assign n40 = r_z_last;
  assign n42 = yi_last;
  assign n46 = yo_last;
  assign n52 = r_z_zero;
  assign n54 = r_z_zero;
  assign input_in_fresh = r_x_zero;
endmodule

// Fills a memory from a port: one walk asks, an equal one takes the answers.
module w_in_load(req_ready, resp_valid, resp_data, free, granted, clk, rst, req_valid, req_addr, resp_ready, w_valid, w_data, w_address, reserve, commit, start);
  wire n1;
  reg n10;
  reg n11;
  reg [15:0] n12;
  reg [6:0] n13;
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
  wire clk;
  output commit;
  reg commit = 1'h0;
  wire expected;
  input free;
  wire free;
  input granted;
  wire granted;
  output [12:0] req_addr;
  wire [12:0] req_addr;
  input req_ready;
  wire req_ready;
  output req_valid;
  wire req_valid;
  output reserve;
  wire reserve;
  input [15:0] resp_data;
  wire [15:0] resp_data;
  output resp_ready;
  wire resp_ready;
  input resp_valid;
  wire resp_valid;
  input rst;
  wire rst;
  input start;
  wire start;
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
  always @(posedge clk)
    w_valid <= n10;
  always @(posedge clk)
    commit <= n11;
  always @(posedge clk)
    w_data <= n12;
  always @(posedge clk)
    w_address <= n13;
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
  always @(*) begin
    n10 = taking_advance;
    if (rst) begin
      n10 = 1'h0;
    end
  end
  always @(*) begin
    n11 = n9;
    if (rst) begin
      n11 = 1'h0;
    end
  end
  always @(*) begin
    n12 = resp_data;
    if (rst) begin
      n12 = 16'h0000;
    end
  end
  always @(*) begin
    n13 = taking_w_address;
    if (rst) begin
      n13 = 7'h00;
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
  wire n1;
  wire [7:0] n10;
  wire [7:0] n11;
  wire [2:0] n12;
  wire n13;
  wire [7:0] n14;
  wire [7:0] n15;
  wire [7:0] n16;
  wire [6:0] n17;
  wire n18;
  wire n19;
  wire n2;
  wire n20;
  reg n21;
  reg [5:0] n22;
  reg n23;
  reg n24;
  reg [1:0] n25;
  reg n26;
  reg n27;
  reg [2:0] n28;
  reg n29;
  wire n3;
  reg n30;
  reg [2:0] n31;
  reg n32;
  reg n33;
  reg [6:0] n34;
  reg [6:0] n35;
  reg [6:0] n36;
  wire n4;
  wire [3:0] n5;
  wire n6;
  wire [7:0] n7;
  wire [3:0] n8;
  wire n9;
  input advance;
  wire advance;
  input clk;
  wire clk;
  output ends;
  wire ends;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  reg k_zero = 1'h0;
  input rst;
  wire rst;
  input start;
  wire start;
  output valid;
  reg valid = 1'h0;
  output [6:0] w_address;
  reg [6:0] w_address = 7'h00;
  wire [6:0] w_address_at_w_in_0;
  reg [6:0] w_address_at_w_in_1 = 7'h00;
  reg [6:0] w_address_at_w_in_2 = 7'h00;
  reg [2:0] w_in_0_count = 3'h0;
  reg w_in_0_last = 1'h0;
  reg w_in_0_zero = 1'h0;
  reg [2:0] w_in_1_count = 3'h0;
  reg w_in_1_last = 1'h0;
  reg w_in_1_zero = 1'h0;
  reg [1:0] w_in_2_count = 2'h0;
  reg w_in_2_last = 1'h0;
  reg w_in_2_zero = 1'h0;
  assign n1 = ~ w_in_0_last;
  assign n2 = ~ w_in_1_last;
  assign n3 = ~ w_in_2_last;
  assign n4 = ~ k_last;
  assign n5 = w_in_0_count + 1'h1;
  assign n6 = w_in_0_count == 2'h3;
  assign n7 = w_address + 1'h1;
  assign n8 = w_in_1_count + 1'h1;
  assign n9 = w_in_1_count == 2'h3;
  assign n10 = w_address_at_w_in_1 + 3'h5;
  assign n11 = w_address_at_w_in_1 + 3'h5;
  assign n12 = w_in_2_count + 1'h1;
  assign n13 = w_in_2_count == 1'h1;
  assign n14 = w_address_at_w_in_2 + 5'h19;
  assign n15 = w_address_at_w_in_2 + 5'h19;
  assign n16 = w_address_at_w_in_2 + 5'h19;
  assign n17 = k_count + 1'h1;
  assign n18 = k_count == 6'h3e;
  assign n20 = n19 & w_in_1_last;
  assign ends = n20 & w_in_0_last;
  always @(posedge clk)
    valid <= n21;
  always @(posedge clk)
    k_count <= n22;
  always @(posedge clk)
    k_zero <= n23;
  always @(posedge clk)
    k_last <= n24;
  always @(posedge clk)
    w_in_2_count <= n25;
  always @(posedge clk)
    w_in_2_zero <= n26;
  always @(posedge clk)
    w_in_2_last <= n27;
  always @(posedge clk)
    w_in_1_count <= n28;
  always @(posedge clk)
    w_in_1_zero <= n29;
  always @(posedge clk)
    w_in_1_last <= n30;
  always @(posedge clk)
    w_in_0_count <= n31;
  always @(posedge clk)
    w_in_0_zero <= n32;
  always @(posedge clk)
    w_in_0_last <= n33;
  always @(posedge clk)
    w_address_at_w_in_2 <= n34;
  always @(posedge clk)
    w_address_at_w_in_1 <= n35;
  always @(posedge clk)
    w_address <= n36;
  always @(*) begin
    n21 = valid;
    if (start) begin
      n21 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else begin
        n21 = 1'h0;
      end
    end
    if (rst) begin
      n21 = 1'h0;
    end
  end
  always @(*) begin
    n22 = k_count;
    if (start) begin
      n22 = 6'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n22 = n17[5:0];
      end
    end
    if (rst) begin
      n22 = 6'h00;
    end
  end
  always @(*) begin
    n23 = k_zero;
    if (start) begin
      n23 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n23 = 1'h0;
      end
    end
    if (rst) begin
      n23 = 1'h0;
    end
  end
  always @(*) begin
    n24 = k_last;
    if (start) begin
      n24 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n24 = n18;
      end
    end
    if (rst) begin
      n24 = 1'h0;
    end
  end
  always @(*) begin
    n25 = w_in_2_count;
    if (start) begin
      n25 = 2'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n25 = n12[1:0];
      end else if (n4) begin
        n25 = 2'h0;
      end
    end
    if (rst) begin
      n25 = 2'h0;
    end
  end
  always @(*) begin
    n26 = w_in_2_zero;
    if (start) begin
      n26 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n26 = 1'h0;
      end else if (n4) begin
        n26 = 1'h1;
      end
    end
    if (rst) begin
      n26 = 1'h0;
    end
  end
  always @(*) begin
    n27 = w_in_2_last;
    if (start) begin
      n27 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n27 = n13;
      end else if (n4) begin
        n27 = 1'h0;
      end
    end
    if (rst) begin
      n27 = 1'h0;
    end
  end
  always @(*) begin
    n28 = w_in_1_count;
    if (start) begin
      n28 = 3'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n28 = n8[2:0];
      end else if (n3) begin
        n28 = 3'h0;
      end else if (n4) begin
        n28 = 3'h0;
      end
    end
    if (rst) begin
      n28 = 3'h0;
    end
  end
  always @(*) begin
    n29 = w_in_1_zero;
    if (start) begin
      n29 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n29 = 1'h0;
      end else if (n3) begin
        n29 = 1'h1;
      end else if (n4) begin
        n29 = 1'h1;
      end
    end
    if (rst) begin
      n29 = 1'h0;
    end
  end
  always @(*) begin
    n30 = w_in_1_last;
    if (start) begin
      n30 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n30 = n9;
      end else if (n3) begin
        n30 = 1'h0;
      end else if (n4) begin
        n30 = 1'h0;
      end
    end
    if (rst) begin
      n30 = 1'h0;
    end
  end
  always @(*) begin
    n31 = w_in_0_count;
    if (start) begin
      n31 = 3'h0;
    end else if (advance) begin
      if (n1) begin
        n31 = n5[2:0];
      end else if (n2) begin
        n31 = 3'h0;
      end else if (n3) begin
        n31 = 3'h0;
      end else if (n4) begin
        n31 = 3'h0;
      end
    end
    if (rst) begin
      n31 = 3'h0;
    end
  end
  always @(*) begin
    n32 = w_in_0_zero;
    if (start) begin
      n32 = 1'h1;
    end else if (advance) begin
      if (n1) begin
        n32 = 1'h0;
      end else if (n2) begin
        n32 = 1'h1;
      end else if (n3) begin
        n32 = 1'h1;
      end else if (n4) begin
        n32 = 1'h1;
      end
    end
    if (rst) begin
      n32 = 1'h0;
    end
  end
  always @(*) begin
    n33 = w_in_0_last;
    if (start) begin
      n33 = 1'h0;
    end else if (advance) begin
      if (n1) begin
        n33 = n6;
      end else if (n2) begin
        n33 = 1'h0;
      end else if (n3) begin
        n33 = 1'h0;
      end else if (n4) begin
        n33 = 1'h0;
      end
    end
    if (rst) begin
      n33 = 1'h0;
    end
  end
  always @(*) begin
    n34 = w_address_at_w_in_2;
    if (start) begin
      n34 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n34 = n14[6:0];
      end else if (n4) begin
        n34 = 7'h00;
      end
    end
    if (rst) begin
      n34 = 7'h00;
    end
  end
  always @(*) begin
    n35 = w_address_at_w_in_1;
    if (start) begin
      n35 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n35 = n10[6:0];
      end else if (n3) begin
        n35 = n15[6:0];
      end else if (n4) begin
        n35 = 7'h00;
      end
    end
    if (rst) begin
      n35 = 7'h00;
    end
  end
  always @(*) begin
    n36 = w_address;
    if (start) begin
      n36 = 7'h00;
    end else if (advance) begin
      if (n1) begin
        n36 = n7[6:0];
      end else if (n2) begin
        n36 = n11[6:0];
      end else if (n3) begin
        n36 = n16[6:0];
      end else if (n4) begin
        n36 = 7'h00;
      end
    end
    if (rst) begin
      n36 = 7'h00;
    end
  end
  assign w_address_at_w_in_0 = w_address;
  assign n19 = w_in_2_last;
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
module w_in_load_request_walk(advance, clk, rst, valid, address, opens, start);
  wire n1;
  wire [13:0] n10;
  wire [13:0] n11;
  wire [2:0] n12;
  wire n13;
  wire [13:0] n14;
  wire [13:0] n15;
  wire [13:0] n16;
  wire [6:0] n17;
  wire n18;
  wire [13:0] n19;
  wire n2;
  wire [13:0] n20;
  wire [13:0] n21;
  wire [13:0] n22;
  wire n23;
  wire n24;
  reg n25;
  reg [5:0] n26;
  reg n27;
  reg n28;
  reg [1:0] n29;
  wire n3;
  reg n30;
  reg n31;
  reg [2:0] n32;
  reg n33;
  reg n34;
  reg [2:0] n35;
  reg n36;
  reg n37;
  reg [12:0] n38;
  reg [12:0] n39;
  wire n4;
  reg [12:0] n40;
  reg [12:0] n41;
  wire [3:0] n5;
  wire n6;
  wire [13:0] n7;
  wire [3:0] n8;
  wire n9;
  output [12:0] address;
  reg [12:0] address = 13'h0000;
  reg [12:0] address_at_k = 13'h0000;
  wire [12:0] address_at_w_in_0;
  reg [12:0] address_at_w_in_1 = 13'h0000;
  reg [12:0] address_at_w_in_2 = 13'h0000;
  input advance;
  wire advance;
  input clk;
  wire clk;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  reg k_zero = 1'h0;
  output opens;
  wire opens;
  input rst;
  wire rst;
  input start;
  wire start;
  output valid;
  reg valid = 1'h0;
  reg [2:0] w_in_0_count = 3'h0;
  reg w_in_0_last = 1'h0;
  reg w_in_0_zero = 1'h0;
  reg [2:0] w_in_1_count = 3'h0;
  reg w_in_1_last = 1'h0;
  reg w_in_1_zero = 1'h0;
  reg [1:0] w_in_2_count = 2'h0;
  reg w_in_2_last = 1'h0;
  reg w_in_2_zero = 1'h0;
  always @(posedge clk)
    address <= n41;
  assign n1 = ~ w_in_0_last;
  assign n2 = ~ w_in_1_last;
  assign n3 = ~ w_in_2_last;
  assign n4 = ~ k_last;
  assign n5 = w_in_0_count + 1'h1;
  assign n6 = w_in_0_count == 2'h3;
  assign n7 = address + 1'h1;
  assign n8 = w_in_1_count + 1'h1;
  assign n9 = w_in_1_count == 2'h3;
  assign n10 = address_at_w_in_1 + 3'h5;
  assign n11 = address_at_w_in_1 + 3'h5;
  assign n12 = w_in_2_count + 1'h1;
  assign n13 = w_in_2_count == 1'h1;
  assign n14 = address_at_w_in_2 + 5'h19;
  assign n15 = address_at_w_in_2 + 5'h19;
  assign n16 = address_at_w_in_2 + 5'h19;
  assign n17 = k_count + 1'h1;
  assign n18 = k_count == 6'h3e;
  assign n19 = address_at_k + 7'h4b;
  assign n20 = address_at_k + 7'h4b;
  assign n21 = address_at_k + 7'h4b;
  assign n22 = address_at_k + 7'h4b;
  assign n24 = n23 & w_in_1_zero;
  assign opens = n24 & w_in_0_zero;
  always @(posedge clk)
    valid <= n25;
  always @(posedge clk)
    k_count <= n26;
  always @(posedge clk)
    k_zero <= n27;
  always @(posedge clk)
    k_last <= n28;
  always @(posedge clk)
    w_in_2_count <= n29;
  always @(posedge clk)
    w_in_2_zero <= n30;
  always @(posedge clk)
    w_in_2_last <= n31;
  always @(posedge clk)
    w_in_1_count <= n32;
  always @(posedge clk)
    w_in_1_zero <= n33;
  always @(posedge clk)
    w_in_1_last <= n34;
  always @(posedge clk)
    w_in_0_count <= n35;
  always @(posedge clk)
    w_in_0_zero <= n36;
  always @(posedge clk)
    w_in_0_last <= n37;
  always @(posedge clk)
    address_at_k <= n38;
  always @(posedge clk)
    address_at_w_in_2 <= n39;
  always @(posedge clk)
    address_at_w_in_1 <= n40;
  always @(*) begin
    n25 = valid;
    if (start) begin
      n25 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else begin
        n25 = 1'h0;
      end
    end
    if (rst) begin
      n25 = 1'h0;
    end
  end
  always @(*) begin
    n26 = k_count;
    if (start) begin
      n26 = 6'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n26 = n17[5:0];
      end
    end
    if (rst) begin
      n26 = 6'h00;
    end
  end
  always @(*) begin
    n27 = k_zero;
    if (start) begin
      n27 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n27 = 1'h0;
      end
    end
    if (rst) begin
      n27 = 1'h0;
    end
  end
  always @(*) begin
    n28 = k_last;
    if (start) begin
      n28 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n28 = n18;
      end
    end
    if (rst) begin
      n28 = 1'h0;
    end
  end
  always @(*) begin
    n29 = w_in_2_count;
    if (start) begin
      n29 = 2'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n29 = n12[1:0];
      end else if (n4) begin
        n29 = 2'h0;
      end
    end
    if (rst) begin
      n29 = 2'h0;
    end
  end
  always @(*) begin
    n30 = w_in_2_zero;
    if (start) begin
      n30 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n30 = 1'h0;
      end else if (n4) begin
        n30 = 1'h1;
      end
    end
    if (rst) begin
      n30 = 1'h0;
    end
  end
  always @(*) begin
    n31 = w_in_2_last;
    if (start) begin
      n31 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n31 = n13;
      end else if (n4) begin
        n31 = 1'h0;
      end
    end
    if (rst) begin
      n31 = 1'h0;
    end
  end
  always @(*) begin
    n32 = w_in_1_count;
    if (start) begin
      n32 = 3'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n32 = n8[2:0];
      end else if (n3) begin
        n32 = 3'h0;
      end else if (n4) begin
        n32 = 3'h0;
      end
    end
    if (rst) begin
      n32 = 3'h0;
    end
  end
  always @(*) begin
    n33 = w_in_1_zero;
    if (start) begin
      n33 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n33 = 1'h0;
      end else if (n3) begin
        n33 = 1'h1;
      end else if (n4) begin
        n33 = 1'h1;
      end
    end
    if (rst) begin
      n33 = 1'h0;
    end
  end
  always @(*) begin
    n34 = w_in_1_last;
    if (start) begin
      n34 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n34 = n9;
      end else if (n3) begin
        n34 = 1'h0;
      end else if (n4) begin
        n34 = 1'h0;
      end
    end
    if (rst) begin
      n34 = 1'h0;
    end
  end
  always @(*) begin
    n35 = w_in_0_count;
    if (start) begin
      n35 = 3'h0;
    end else if (advance) begin
      if (n1) begin
        n35 = n5[2:0];
      end else if (n2) begin
        n35 = 3'h0;
      end else if (n3) begin
        n35 = 3'h0;
      end else if (n4) begin
        n35 = 3'h0;
      end
    end
    if (rst) begin
      n35 = 3'h0;
    end
  end
  always @(*) begin
    n36 = w_in_0_zero;
    if (start) begin
      n36 = 1'h1;
    end else if (advance) begin
      if (n1) begin
        n36 = 1'h0;
      end else if (n2) begin
        n36 = 1'h1;
      end else if (n3) begin
        n36 = 1'h1;
      end else if (n4) begin
        n36 = 1'h1;
      end
    end
    if (rst) begin
      n36 = 1'h0;
    end
  end
  always @(*) begin
    n37 = w_in_0_last;
    if (start) begin
      n37 = 1'h0;
    end else if (advance) begin
      if (n1) begin
        n37 = n6;
      end else if (n2) begin
        n37 = 1'h0;
      end else if (n3) begin
        n37 = 1'h0;
      end else if (n4) begin
        n37 = 1'h0;
      end
    end
    if (rst) begin
      n37 = 1'h0;
    end
  end
  always @(*) begin
    n38 = address_at_k;
    if (start) begin
      n38 = 13'h0000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n38 = n19[12:0];
      end
    end
    if (rst) begin
      n38 = 13'h0000;
    end
  end
  always @(*) begin
    n39 = address_at_w_in_2;
    if (start) begin
      n39 = 13'h0000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n39 = n14[12:0];
      end else if (n4) begin
        n39 = n20[12:0];
      end
    end
    if (rst) begin
      n39 = 13'h0000;
    end
  end
  always @(*) begin
    n40 = address_at_w_in_1;
    if (start) begin
      n40 = 13'h0000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n40 = n10[12:0];
      end else if (n3) begin
        n40 = n15[12:0];
      end else if (n4) begin
        n40 = n21[12:0];
      end
    end
    if (rst) begin
      n40 = 13'h0000;
    end
  end
  always @(*) begin
    n41 = address;
    if (start) begin
      n41 = 13'h0000;
    end else if (advance) begin
      if (n1) begin
        n41 = n7[12:0];
      end else if (n2) begin
        n41 = n11[12:0];
      end else if (n3) begin
        n41 = n16[12:0];
      end else if (n4) begin
        n41 = n22[12:0];
      end
    end
    if (rst) begin
      n41 = 13'h0000;
    end
  end
  assign address_at_w_in_0 = address;
  assign n23 = w_in_2_zero;
endmodule

// Fills a memory from a port: one walk asks, an equal one takes the answers.
module input_in_load(req_ready, resp_valid, resp_data, free, granted, clk, rst, req_valid, req_addr, resp_ready, w_valid, w_data, w_address, w_digit0, reserve, commit, start);
  wire n1;
  reg n10;
  reg n11;
  reg [15:0] n12;
  reg [6:0] n13;
  reg [1:0] n14;
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
  wire clk;
  output commit;
  reg commit = 1'h0;
  wire expected;
  input free;
  wire free;
  input granted;
  wire granted;
  output [10:0] req_addr;
  wire [10:0] req_addr;
  input req_ready;
  wire req_ready;
  output req_valid;
  wire req_valid;
  output reserve;
  wire reserve;
  input [15:0] resp_data;
  wire [15:0] resp_data;
  output resp_ready;
  wire resp_ready;
  input resp_valid;
  wire resp_valid;
  input rst;
  wire rst;
  input start;
  wire start;
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
  always @(posedge clk)
    w_valid <= n10;
  always @(posedge clk)
    commit <= n11;
  always @(posedge clk)
    w_data <= n12;
  always @(posedge clk)
    w_address <= n13;
  always @(posedge clk)
    w_digit0 <= n14;
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
  always @(*) begin
    n10 = taking_advance;
    if (rst) begin
      n10 = 1'h0;
    end
  end
  always @(*) begin
    n11 = n9;
    if (rst) begin
      n11 = 1'h0;
    end
  end
  always @(*) begin
    n12 = resp_data;
    if (rst) begin
      n12 = 16'h0000;
    end
  end
  always @(*) begin
    n13 = taking_w_address;
    if (rst) begin
      n13 = 7'h00;
    end
  end
  always @(*) begin
    n14 = taking_w_digit0;
    if (rst) begin
      n14 = 2'h0;
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
  wire n1;
  wire [2:0] n10;
  wire [2:0] n11;
  wire n12;
  wire [7:0] n13;
  wire [4:0] n14;
  wire n15;
  wire [7:0] n16;
  wire [7:0] n17;
  wire [2:0] n18;
  wire n19;
  wire n2;
  wire [7:0] n20;
  wire [7:0] n21;
  wire [7:0] n22;
  wire [1:0] n23;
  wire n24;
  wire [1:0] n25;
  wire n26;
  wire [6:0] n27;
  wire n28;
  wire n29;
  wire n3;
  wire n30;
  wire n31;
  reg n32;
  reg [5:0] n33;
  reg n34;
  reg n35;
  reg n36;
  reg n37;
  reg n38;
  reg n39;
  wire n4;
  reg n40;
  reg n41;
  reg [1:0] n42;
  reg n43;
  reg n44;
  reg [3:0] n45;
  reg n46;
  reg n47;
  reg [1:0] n48;
  reg n49;
  wire n5;
  reg n50;
  reg [1:0] n51;
  reg n52;
  reg n53;
  reg [6:0] n54;
  reg [6:0] n55;
  reg [6:0] n56;
  reg [1:0] n57;
  wire n6;
  wire n7;
  wire [2:0] n8;
  wire n9;
  input advance;
  wire advance;
  input clk;
  wire clk;
  output ends;
  wire ends;
  reg [1:0] input_in_0_bank_count = 2'h0;
  reg input_in_0_bank_last = 1'h0;
  reg input_in_0_bank_zero = 1'h0;
  reg [1:0] input_in_0_count = 2'h0;
  reg input_in_0_last = 1'h0;
  reg input_in_0_zero = 1'h0;
  reg [3:0] input_in_1_count = 4'h0;
  reg input_in_1_last = 1'h0;
  reg input_in_1_zero = 1'h0;
  reg [1:0] input_in_2_count = 2'h0;
  reg input_in_2_last = 1'h0;
  reg input_in_2_zero = 1'h0;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  reg k_zero = 1'h0;
  input rst;
  wire rst;
  input start;
  wire start;
  output valid;
  reg valid = 1'h0;
  output [6:0] w_address;
  reg [6:0] w_address = 7'h00;
  wire [6:0] w_address_at_input_in_0;
  reg [6:0] w_address_at_input_in_1 = 7'h00;
  reg [6:0] w_address_at_input_in_2 = 7'h00;
  output [1:0] w_digit0;
  reg [1:0] w_digit0 = 2'h0;
  wire [1:0] w_digit0_at_input_in_0_bank;
  reg xo_count = 1'h0;
  reg xo_last = 1'h0;
  reg xo_zero = 1'h0;
  reg yo_count = 1'h0;
  reg yo_last = 1'h0;
  reg yo_zero = 1'h0;
  always @(posedge clk)
    yo_zero <= n37;
  always @(posedge clk)
    yo_last <= n38;
  always @(posedge clk)
    xo_count <= n39;
  always @(posedge clk)
    xo_zero <= n40;
  always @(posedge clk)
    xo_last <= n41;
  always @(posedge clk)
    input_in_2_count <= n42;
  always @(posedge clk)
    input_in_2_zero <= n43;
  always @(posedge clk)
    input_in_2_last <= n44;
  always @(posedge clk)
    input_in_1_count <= n45;
  always @(posedge clk)
    input_in_1_zero <= n46;
  always @(posedge clk)
    input_in_1_last <= n47;
  always @(posedge clk)
    input_in_0_count <= n48;
  always @(posedge clk)
    input_in_0_zero <= n49;
  always @(posedge clk)
    input_in_0_last <= n50;
  always @(posedge clk)
    input_in_0_bank_count <= n51;
  always @(posedge clk)
    input_in_0_bank_zero <= n52;
  always @(posedge clk)
    input_in_0_bank_last <= n53;
  always @(posedge clk)
    w_address_at_input_in_2 <= n54;
  always @(posedge clk)
    w_address_at_input_in_1 <= n55;
  always @(posedge clk)
    w_address <= n56;
  always @(posedge clk)
    w_digit0 <= n57;
  assign n1 = ~ input_in_0_bank_last;
  assign n2 = ~ input_in_0_last;
  assign n3 = ~ input_in_1_last;
  assign n4 = ~ input_in_2_last;
  assign n5 = ~ xo_last;
  assign n6 = ~ yo_last;
  assign n7 = ~ k_last;
  assign n8 = input_in_0_bank_count + 1'h1;
  assign n9 = input_in_0_bank_count == 2'h2;
  assign n10 = w_digit0 + 1'h1;
  assign n11 = input_in_0_count + 1'h1;
  assign n12 = input_in_0_count == 1'h1;
  assign n13 = w_address + 1'h1;
  assign n14 = input_in_1_count + 1'h1;
  assign n15 = input_in_1_count == 4'ha;
  assign n16 = w_address_at_input_in_1 + 2'h3;
  assign n17 = w_address_at_input_in_1 + 2'h3;
  assign n18 = input_in_2_count + 1'h1;
  assign n19 = input_in_2_count == 1'h1;
  assign n20 = w_address_at_input_in_2 + 6'h24;
  assign n21 = w_address_at_input_in_2 + 6'h24;
  assign n22 = w_address_at_input_in_2 + 6'h24;
  assign n23 = xo_count + 1'h1;
  assign n24 = ! xo_count;
  assign n25 = yo_count + 1'h1;
  assign n26 = ! yo_count;
  assign n27 = k_count + 1'h1;
  assign n28 = k_count == 6'h3e;
  assign n30 = n29 & input_in_1_last;
  assign n31 = n30 & input_in_0_last;
  assign ends = n31 & input_in_0_bank_last;
  always @(posedge clk)
    valid <= n32;
  always @(posedge clk)
    k_count <= n33;
  always @(posedge clk)
    k_zero <= n34;
  always @(posedge clk)
    k_last <= n35;
  always @(posedge clk)
    yo_count <= n36;
  always @(*) begin
    n37 = yo_zero;
    if (start) begin
      n37 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n37 = 1'h0;
      end else if (n7) begin
        n37 = 1'h1;
      end
    end
    if (rst) begin
      n37 = 1'h0;
    end
  end
  always @(*) begin
    n38 = yo_last;
    if (start) begin
      n38 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n38 = n26;
      end else if (n7) begin
        n38 = 1'h0;
      end
    end
    if (rst) begin
      n38 = 1'h0;
    end
  end
  always @(*) begin
    n39 = xo_count;
    if (start) begin
      n39 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n39 = n23[0];
      end else if (n6) begin
        n39 = 1'h0;
      end else if (n7) begin
        n39 = 1'h0;
      end
    end
    if (rst) begin
      n39 = 1'h0;
    end
  end
  always @(*) begin
    n40 = xo_zero;
    if (start) begin
      n40 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n40 = 1'h0;
      end else if (n6) begin
        n40 = 1'h1;
      end else if (n7) begin
        n40 = 1'h1;
      end
    end
    if (rst) begin
      n40 = 1'h0;
    end
  end
  always @(*) begin
    n41 = xo_last;
    if (start) begin
      n41 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n41 = n24;
      end else if (n6) begin
        n41 = 1'h0;
      end else if (n7) begin
        n41 = 1'h0;
      end
    end
    if (rst) begin
      n41 = 1'h0;
    end
  end
  always @(*) begin
    n42 = input_in_2_count;
    if (start) begin
      n42 = 2'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n42 = n18[1:0];
      end else if (n5) begin
        n42 = 2'h0;
      end else if (n6) begin
        n42 = 2'h0;
      end else if (n7) begin
        n42 = 2'h0;
      end
    end
    if (rst) begin
      n42 = 2'h0;
    end
  end
  always @(*) begin
    n43 = input_in_2_zero;
    if (start) begin
      n43 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n43 = 1'h0;
      end else if (n5) begin
        n43 = 1'h1;
      end else if (n6) begin
        n43 = 1'h1;
      end else if (n7) begin
        n43 = 1'h1;
      end
    end
    if (rst) begin
      n43 = 1'h0;
    end
  end
  always @(*) begin
    n44 = input_in_2_last;
    if (start) begin
      n44 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n44 = n19;
      end else if (n5) begin
        n44 = 1'h0;
      end else if (n6) begin
        n44 = 1'h0;
      end else if (n7) begin
        n44 = 1'h0;
      end
    end
    if (rst) begin
      n44 = 1'h0;
    end
  end
  always @(*) begin
    n45 = input_in_1_count;
    if (start) begin
      n45 = 4'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n45 = n14[3:0];
      end else if (n4) begin
        n45 = 4'h0;
      end else if (n5) begin
        n45 = 4'h0;
      end else if (n6) begin
        n45 = 4'h0;
      end else if (n7) begin
        n45 = 4'h0;
      end
    end
    if (rst) begin
      n45 = 4'h0;
    end
  end
  always @(*) begin
    n46 = input_in_1_zero;
    if (start) begin
      n46 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n46 = 1'h0;
      end else if (n4) begin
        n46 = 1'h1;
      end else if (n5) begin
        n46 = 1'h1;
      end else if (n6) begin
        n46 = 1'h1;
      end else if (n7) begin
        n46 = 1'h1;
      end
    end
    if (rst) begin
      n46 = 1'h0;
    end
  end
  always @(*) begin
    n47 = input_in_1_last;
    if (start) begin
      n47 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n47 = n15;
      end else if (n4) begin
        n47 = 1'h0;
      end else if (n5) begin
        n47 = 1'h0;
      end else if (n6) begin
        n47 = 1'h0;
      end else if (n7) begin
        n47 = 1'h0;
      end
    end
    if (rst) begin
      n47 = 1'h0;
    end
  end
  always @(*) begin
    n48 = input_in_0_count;
    if (start) begin
      n48 = 2'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n48 = n11[1:0];
      end else if (n3) begin
        n48 = 2'h0;
      end else if (n4) begin
        n48 = 2'h0;
      end else if (n5) begin
        n48 = 2'h0;
      end else if (n6) begin
        n48 = 2'h0;
      end else if (n7) begin
        n48 = 2'h0;
      end
    end
    if (rst) begin
      n48 = 2'h0;
    end
  end
  always @(*) begin
    n49 = input_in_0_zero;
    if (start) begin
      n49 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n49 = 1'h0;
      end else if (n3) begin
        n49 = 1'h1;
      end else if (n4) begin
        n49 = 1'h1;
      end else if (n5) begin
        n49 = 1'h1;
      end else if (n6) begin
        n49 = 1'h1;
      end else if (n7) begin
        n49 = 1'h1;
      end
    end
    if (rst) begin
      n49 = 1'h0;
    end
  end
  always @(*) begin
    n50 = input_in_0_last;
    if (start) begin
      n50 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n50 = n12;
      end else if (n3) begin
        n50 = 1'h0;
      end else if (n4) begin
        n50 = 1'h0;
      end else if (n5) begin
        n50 = 1'h0;
      end else if (n6) begin
        n50 = 1'h0;
      end else if (n7) begin
        n50 = 1'h0;
      end
    end
    if (rst) begin
      n50 = 1'h0;
    end
  end
  always @(*) begin
    n51 = input_in_0_bank_count;
    if (start) begin
      n51 = 2'h0;
    end else if (advance) begin
      if (n1) begin
        n51 = n8[1:0];
      end else if (n2) begin
        n51 = 2'h0;
      end else if (n3) begin
        n51 = 2'h0;
      end else if (n4) begin
        n51 = 2'h0;
      end else if (n5) begin
        n51 = 2'h0;
      end else if (n6) begin
        n51 = 2'h0;
      end else if (n7) begin
        n51 = 2'h0;
      end
    end
    if (rst) begin
      n51 = 2'h0;
    end
  end
  always @(*) begin
    n52 = input_in_0_bank_zero;
    if (start) begin
      n52 = 1'h1;
    end else if (advance) begin
      if (n1) begin
        n52 = 1'h0;
      end else if (n2) begin
        n52 = 1'h1;
      end else if (n3) begin
        n52 = 1'h1;
      end else if (n4) begin
        n52 = 1'h1;
      end else if (n5) begin
        n52 = 1'h1;
      end else if (n6) begin
        n52 = 1'h1;
      end else if (n7) begin
        n52 = 1'h1;
      end
    end
    if (rst) begin
      n52 = 1'h0;
    end
  end
  always @(*) begin
    n53 = input_in_0_bank_last;
    if (start) begin
      n53 = 1'h0;
    end else if (advance) begin
      if (n1) begin
        n53 = n9;
      end else if (n2) begin
        n53 = 1'h0;
      end else if (n3) begin
        n53 = 1'h0;
      end else if (n4) begin
        n53 = 1'h0;
      end else if (n5) begin
        n53 = 1'h0;
      end else if (n6) begin
        n53 = 1'h0;
      end else if (n7) begin
        n53 = 1'h0;
      end
    end
    if (rst) begin
      n53 = 1'h0;
    end
  end
  always @(*) begin
    n54 = w_address_at_input_in_2;
    if (start) begin
      n54 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n54 = n20[6:0];
      end else if (n5) begin
        n54 = 7'h00;
      end else if (n6) begin
        n54 = 7'h00;
      end else if (n7) begin
        n54 = 7'h00;
      end
    end
    if (rst) begin
      n54 = 7'h00;
    end
  end
  always @(*) begin
    n55 = w_address_at_input_in_1;
    if (start) begin
      n55 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n55 = n16[6:0];
      end else if (n4) begin
        n55 = n21[6:0];
      end else if (n5) begin
        n55 = 7'h00;
      end else if (n6) begin
        n55 = 7'h00;
      end else if (n7) begin
        n55 = 7'h00;
      end
    end
    if (rst) begin
      n55 = 7'h00;
    end
  end
  always @(*) begin
    n56 = w_address;
    if (start) begin
      n56 = 7'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n56 = n13[6:0];
      end else if (n3) begin
        n56 = n17[6:0];
      end else if (n4) begin
        n56 = n22[6:0];
      end else if (n5) begin
        n56 = 7'h00;
      end else if (n6) begin
        n56 = 7'h00;
      end else if (n7) begin
        n56 = 7'h00;
      end
    end
    if (rst) begin
      n56 = 7'h00;
    end
  end
  always @(*) begin
    n57 = w_digit0;
    if (start) begin
      n57 = 2'h0;
    end else if (advance) begin
      if (n1) begin
        n57 = n10[1:0];
      end else if (n2) begin
        n57 = 2'h0;
      end else if (n3) begin
        n57 = 2'h0;
      end else if (n4) begin
        n57 = 2'h0;
      end else if (n5) begin
        n57 = 2'h0;
      end else if (n6) begin
        n57 = 2'h0;
      end else if (n7) begin
        n57 = 2'h0;
      end
    end
    if (rst) begin
      n57 = 2'h0;
    end
  end
  always @(*) begin
    n32 = valid;
    if (start) begin
      n32 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
      end else begin
        n32 = 1'h0;
      end
    end
    if (rst) begin
      n32 = 1'h0;
    end
  end
  always @(*) begin
    n33 = k_count;
    if (start) begin
      n33 = 6'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
        n33 = n27[5:0];
      end
    end
    if (rst) begin
      n33 = 6'h00;
    end
  end
  always @(*) begin
    n34 = k_zero;
    if (start) begin
      n34 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
        n34 = 1'h0;
      end
    end
    if (rst) begin
      n34 = 1'h0;
    end
  end
  always @(*) begin
    n35 = k_last;
    if (start) begin
      n35 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
        n35 = n28;
      end
    end
    if (rst) begin
      n35 = 1'h0;
    end
  end
  always @(*) begin
    n36 = yo_count;
    if (start) begin
      n36 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n36 = n25[0];
      end else if (n7) begin
        n36 = 1'h0;
      end
    end
    if (rst) begin
      n36 = 1'h0;
    end
  end
  assign w_address_at_input_in_0 = w_address;
  assign w_digit0_at_input_in_0_bank = w_digit0;
  assign n29 = input_in_2_last;
endmodule

// Steps through a nest of loops, one iteration per cycle in which `advance` is high while `valid`.
module input_in_load_request_walk(advance, clk, rst, valid, address, opens, start);
  wire n1;
  wire [11:0] n10;
  wire [2:0] n11;
  wire n12;
  wire [11:0] n13;
  wire [11:0] n14;
  wire [4:0] n15;
  wire n16;
  wire [11:0] n17;
  wire [11:0] n18;
  wire [11:0] n19;
  wire n2;
  wire [2:0] n20;
  wire n21;
  wire [11:0] n22;
  wire [11:0] n23;
  wire [11:0] n24;
  wire [11:0] n25;
  wire [1:0] n26;
  wire n27;
  wire [11:0] n28;
  wire [11:0] n29;
  wire n3;
  wire [11:0] n30;
  wire [11:0] n31;
  wire [11:0] n32;
  wire [1:0] n33;
  wire n34;
  wire [11:0] n35;
  wire [11:0] n36;
  wire [11:0] n37;
  wire [11:0] n38;
  wire [11:0] n39;
  wire n4;
  wire [11:0] n40;
  wire [6:0] n41;
  wire n42;
  wire n43;
  wire n44;
  wire n45;
  reg n46;
  reg [5:0] n47;
  reg n48;
  reg n49;
  wire n5;
  reg n50;
  reg n51;
  reg n52;
  reg n53;
  reg n54;
  reg n55;
  reg [1:0] n56;
  reg n57;
  reg n58;
  reg [3:0] n59;
  wire n6;
  reg n60;
  reg n61;
  reg [1:0] n62;
  reg n63;
  reg n64;
  reg [1:0] n65;
  reg n66;
  reg n67;
  reg [10:0] n68;
  reg [10:0] n69;
  wire n7;
  reg [10:0] n70;
  reg [10:0] n71;
  reg [10:0] n72;
  reg [10:0] n73;
  wire [2:0] n8;
  wire n9;
  output [10:0] address;
  reg [10:0] address = 11'h000;
  reg [10:0] address_at_input_in_0 = 11'h000;
  wire [10:0] address_at_input_in_0_bank;
  reg [10:0] address_at_input_in_1 = 11'h000;
  reg [10:0] address_at_input_in_2 = 11'h000;
  reg [10:0] address_at_xo = 11'h000;
  reg [10:0] address_at_yo = 11'h000;
  input advance;
  wire advance;
  input clk;
  wire clk;
  reg [1:0] input_in_0_bank_count = 2'h0;
  reg input_in_0_bank_last = 1'h0;
  reg input_in_0_bank_zero = 1'h0;
  reg [1:0] input_in_0_count = 2'h0;
  reg input_in_0_last = 1'h0;
  reg input_in_0_zero = 1'h0;
  reg [3:0] input_in_1_count = 4'h0;
  reg input_in_1_last = 1'h0;
  reg input_in_1_zero = 1'h0;
  reg [1:0] input_in_2_count = 2'h0;
  reg input_in_2_last = 1'h0;
  reg input_in_2_zero = 1'h0;
  reg [5:0] k_count = 6'h00;
  reg k_last = 1'h0;
  reg k_zero = 1'h0;
  output opens;
  wire opens;
  input rst;
  wire rst;
  input start;
  wire start;
  output valid;
  reg valid = 1'h0;
  reg xo_count = 1'h0;
  reg xo_last = 1'h0;
  reg xo_zero = 1'h0;
  reg yo_count = 1'h0;
  reg yo_last = 1'h0;
  reg yo_zero = 1'h0;
  assign n27 = ! xo_count;
  assign n28 = address_at_xo + 4'h8;
  assign n29 = address_at_xo + 4'h8;
  assign n30 = address_at_xo + 4'h8;
  assign n31 = address_at_xo + 4'h8;
  assign n32 = address_at_xo + 4'h8;
  assign n33 = yo_count + 1'h1;
  assign n34 = ! yo_count;
  assign n35 = address_at_yo + 8'ha0;
  assign n36 = address_at_yo + 8'ha0;
  assign n37 = address_at_yo + 8'ha0;
  assign n38 = address_at_yo + 8'ha0;
  assign n39 = address_at_yo + 8'ha0;
  assign n40 = address_at_yo + 8'ha0;
  assign n41 = k_count + 1'h1;
  assign n42 = k_count == 6'h3e;
  assign n44 = n43 & input_in_1_zero;
  assign n45 = n44 & input_in_0_zero;
  assign opens = n45 & input_in_0_bank_zero;
  always @(posedge clk)
    valid <= n46;
  always @(posedge clk)
    k_count <= n47;
  always @(posedge clk)
    k_zero <= n48;
  always @(posedge clk)
    k_last <= n49;
  always @(posedge clk)
    yo_count <= n50;
  always @(posedge clk)
    yo_zero <= n51;
  always @(posedge clk)
    yo_last <= n52;
  always @(posedge clk)
    xo_count <= n53;
  always @(posedge clk)
    xo_zero <= n54;
  always @(posedge clk)
    xo_last <= n55;
  always @(posedge clk)
    input_in_2_count <= n56;
  always @(posedge clk)
    input_in_2_zero <= n57;
  always @(posedge clk)
    input_in_2_last <= n58;
  always @(posedge clk)
    input_in_1_count <= n59;
  always @(posedge clk)
    input_in_1_zero <= n60;
  always @(posedge clk)
    input_in_1_last <= n61;
  always @(posedge clk)
    input_in_0_count <= n62;
  always @(posedge clk)
    input_in_0_zero <= n63;
  always @(posedge clk)
    input_in_0_last <= n64;
  always @(posedge clk)
    input_in_0_bank_count <= n65;
  always @(posedge clk)
    input_in_0_bank_zero <= n66;
  always @(posedge clk)
    input_in_0_bank_last <= n67;
  always @(posedge clk)
    address_at_yo <= n68;
  always @(posedge clk)
    address_at_xo <= n69;
  always @(posedge clk)
    address_at_input_in_2 <= n70;
  always @(posedge clk)
    address_at_input_in_1 <= n71;
  always @(posedge clk)
    address_at_input_in_0 <= n72;
  always @(posedge clk)
    address <= n73;
  assign n1 = ~ input_in_0_bank_last;
  assign n2 = ~ input_in_0_last;
  assign n3 = ~ input_in_1_last;
  assign n4 = ~ input_in_2_last;
  assign n5 = ~ xo_last;
  assign n6 = ~ yo_last;
  assign n7 = ~ k_last;
  assign n8 = input_in_0_bank_count + 1'h1;
  assign n9 = input_in_0_bank_count == 2'h2;
  assign n10 = address + 1'h1;
  assign n11 = input_in_0_count + 1'h1;
  assign n12 = input_in_0_count == 1'h1;
  assign n13 = address_at_input_in_0 + 3'h4;
  assign n14 = address_at_input_in_0 + 3'h4;
  assign n15 = input_in_1_count + 1'h1;
  assign n16 = input_in_1_count == 4'ha;
  assign n17 = address_at_input_in_1 + 5'h14;
  assign n18 = address_at_input_in_1 + 5'h14;
  assign n19 = address_at_input_in_1 + 5'h14;
  assign n20 = input_in_2_count + 1'h1;
  assign n21 = input_in_2_count == 1'h1;
  assign n22 = address_at_input_in_2 + 9'h190;
  assign n23 = address_at_input_in_2 + 9'h190;
  assign n24 = address_at_input_in_2 + 9'h190;
  assign n25 = address_at_input_in_2 + 9'h190;
  assign n26 = xo_count + 1'h1;
  always @(*) begin
    n46 = valid;
    if (start) begin
      n46 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
      end else begin
        n46 = 1'h0;
      end
    end
    if (rst) begin
      n46 = 1'h0;
    end
  end
  always @(*) begin
    n47 = k_count;
    if (start) begin
      n47 = 6'h00;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
        n47 = n41[5:0];
      end
    end
    if (rst) begin
      n47 = 6'h00;
    end
  end
  always @(*) begin
    n48 = k_zero;
    if (start) begin
      n48 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
        n48 = 1'h0;
      end
    end
    if (rst) begin
      n48 = 1'h0;
    end
  end
  always @(*) begin
    n49 = k_last;
    if (start) begin
      n49 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
      end else if (n7) begin
        n49 = n42;
      end
    end
    if (rst) begin
      n49 = 1'h0;
    end
  end
  always @(*) begin
    n50 = yo_count;
    if (start) begin
      n50 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n50 = n33[0];
      end else if (n7) begin
        n50 = 1'h0;
      end
    end
    if (rst) begin
      n50 = 1'h0;
    end
  end
  always @(*) begin
    n51 = yo_zero;
    if (start) begin
      n51 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n51 = 1'h0;
      end else if (n7) begin
        n51 = 1'h1;
      end
    end
    if (rst) begin
      n51 = 1'h0;
    end
  end
  always @(*) begin
    n52 = yo_last;
    if (start) begin
      n52 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n52 = n34;
      end else if (n7) begin
        n52 = 1'h0;
      end
    end
    if (rst) begin
      n52 = 1'h0;
    end
  end
  always @(*) begin
    n53 = xo_count;
    if (start) begin
      n53 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n53 = n26[0];
      end else if (n6) begin
        n53 = 1'h0;
      end else if (n7) begin
        n53 = 1'h0;
      end
    end
    if (rst) begin
      n53 = 1'h0;
    end
  end
  always @(*) begin
    n54 = xo_zero;
    if (start) begin
      n54 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n54 = 1'h0;
      end else if (n6) begin
        n54 = 1'h1;
      end else if (n7) begin
        n54 = 1'h1;
      end
    end
    if (rst) begin
      n54 = 1'h0;
    end
  end
  always @(*) begin
    n55 = xo_last;
    if (start) begin
      n55 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n55 = n27;
      end else if (n6) begin
        n55 = 1'h0;
      end else if (n7) begin
        n55 = 1'h0;
      end
    end
    if (rst) begin
      n55 = 1'h0;
    end
  end
  always @(*) begin
    n56 = input_in_2_count;
    if (start) begin
      n56 = 2'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n56 = n20[1:0];
      end else if (n5) begin
        n56 = 2'h0;
      end else if (n6) begin
        n56 = 2'h0;
      end else if (n7) begin
        n56 = 2'h0;
      end
    end
    if (rst) begin
      n56 = 2'h0;
    end
  end
  always @(*) begin
    n57 = input_in_2_zero;
    if (start) begin
      n57 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n57 = 1'h0;
      end else if (n5) begin
        n57 = 1'h1;
      end else if (n6) begin
        n57 = 1'h1;
      end else if (n7) begin
        n57 = 1'h1;
      end
    end
    if (rst) begin
      n57 = 1'h0;
    end
  end
  always @(*) begin
    n58 = input_in_2_last;
    if (start) begin
      n58 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n58 = n21;
      end else if (n5) begin
        n58 = 1'h0;
      end else if (n6) begin
        n58 = 1'h0;
      end else if (n7) begin
        n58 = 1'h0;
      end
    end
    if (rst) begin
      n58 = 1'h0;
    end
  end
  always @(*) begin
    n59 = input_in_1_count;
    if (start) begin
      n59 = 4'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n59 = n15[3:0];
      end else if (n4) begin
        n59 = 4'h0;
      end else if (n5) begin
        n59 = 4'h0;
      end else if (n6) begin
        n59 = 4'h0;
      end else if (n7) begin
        n59 = 4'h0;
      end
    end
    if (rst) begin
      n59 = 4'h0;
    end
  end
  always @(*) begin
    n60 = input_in_1_zero;
    if (start) begin
      n60 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n60 = 1'h0;
      end else if (n4) begin
        n60 = 1'h1;
      end else if (n5) begin
        n60 = 1'h1;
      end else if (n6) begin
        n60 = 1'h1;
      end else if (n7) begin
        n60 = 1'h1;
      end
    end
    if (rst) begin
      n60 = 1'h0;
    end
  end
  always @(*) begin
    n61 = input_in_1_last;
    if (start) begin
      n61 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n61 = n16;
      end else if (n4) begin
        n61 = 1'h0;
      end else if (n5) begin
        n61 = 1'h0;
      end else if (n6) begin
        n61 = 1'h0;
      end else if (n7) begin
        n61 = 1'h0;
      end
    end
    if (rst) begin
      n61 = 1'h0;
    end
  end
  always @(*) begin
    n62 = input_in_0_count;
    if (start) begin
      n62 = 2'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n62 = n11[1:0];
      end else if (n3) begin
        n62 = 2'h0;
      end else if (n4) begin
        n62 = 2'h0;
      end else if (n5) begin
        n62 = 2'h0;
      end else if (n6) begin
        n62 = 2'h0;
      end else if (n7) begin
        n62 = 2'h0;
      end
    end
    if (rst) begin
      n62 = 2'h0;
    end
  end
  always @(*) begin
    n63 = input_in_0_zero;
    if (start) begin
      n63 = 1'h1;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n63 = 1'h0;
      end else if (n3) begin
        n63 = 1'h1;
      end else if (n4) begin
        n63 = 1'h1;
      end else if (n5) begin
        n63 = 1'h1;
      end else if (n6) begin
        n63 = 1'h1;
      end else if (n7) begin
        n63 = 1'h1;
      end
    end
    if (rst) begin
      n63 = 1'h0;
    end
  end
  always @(*) begin
    n64 = input_in_0_last;
    if (start) begin
      n64 = 1'h0;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n64 = n12;
      end else if (n3) begin
        n64 = 1'h0;
      end else if (n4) begin
        n64 = 1'h0;
      end else if (n5) begin
        n64 = 1'h0;
      end else if (n6) begin
        n64 = 1'h0;
      end else if (n7) begin
        n64 = 1'h0;
      end
    end
    if (rst) begin
      n64 = 1'h0;
    end
  end
  always @(*) begin
    n65 = input_in_0_bank_count;
    if (start) begin
      n65 = 2'h0;
    end else if (advance) begin
      if (n1) begin
        n65 = n8[1:0];
      end else if (n2) begin
        n65 = 2'h0;
      end else if (n3) begin
        n65 = 2'h0;
      end else if (n4) begin
        n65 = 2'h0;
      end else if (n5) begin
        n65 = 2'h0;
      end else if (n6) begin
        n65 = 2'h0;
      end else if (n7) begin
        n65 = 2'h0;
      end
    end
    if (rst) begin
      n65 = 2'h0;
    end
  end
  always @(*) begin
    n66 = input_in_0_bank_zero;
    if (start) begin
      n66 = 1'h1;
    end else if (advance) begin
      if (n1) begin
        n66 = 1'h0;
      end else if (n2) begin
        n66 = 1'h1;
      end else if (n3) begin
        n66 = 1'h1;
      end else if (n4) begin
        n66 = 1'h1;
      end else if (n5) begin
        n66 = 1'h1;
      end else if (n6) begin
        n66 = 1'h1;
      end else if (n7) begin
        n66 = 1'h1;
      end
    end
    if (rst) begin
      n66 = 1'h0;
    end
  end
  always @(*) begin
    n67 = input_in_0_bank_last;
    if (start) begin
      n67 = 1'h0;
    end else if (advance) begin
      if (n1) begin
        n67 = n9;
      end else if (n2) begin
        n67 = 1'h0;
      end else if (n3) begin
        n67 = 1'h0;
      end else if (n4) begin
        n67 = 1'h0;
      end else if (n5) begin
        n67 = 1'h0;
      end else if (n6) begin
        n67 = 1'h0;
      end else if (n7) begin
        n67 = 1'h0;
      end
    end
    if (rst) begin
      n67 = 1'h0;
    end
  end
  always @(*) begin
    n68 = address_at_yo;
    if (start) begin
      n68 = 11'h000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
      end else if (n6) begin
        n68 = n35[10:0];
      end else if (n7) begin
        n68 = 11'h000;
      end
    end
    if (rst) begin
      n68 = 11'h000;
    end
  end
  always @(*) begin
    n69 = address_at_xo;
    if (start) begin
      n69 = 11'h000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
      end else if (n5) begin
        n69 = n28[10:0];
      end else if (n6) begin
        n69 = n36[10:0];
      end else if (n7) begin
        n69 = 11'h000;
      end
    end
    if (rst) begin
      n69 = 11'h000;
    end
  end
  always @(*) begin
    n70 = address_at_input_in_2;
    if (start) begin
      n70 = 11'h000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
      end else if (n4) begin
        n70 = n22[10:0];
      end else if (n5) begin
        n70 = n29[10:0];
      end else if (n6) begin
        n70 = n37[10:0];
      end else if (n7) begin
        n70 = 11'h000;
      end
    end
    if (rst) begin
      n70 = 11'h000;
    end
  end
  always @(*) begin
    n71 = address_at_input_in_1;
    if (start) begin
      n71 = 11'h000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
      end else if (n3) begin
        n71 = n17[10:0];
      end else if (n4) begin
        n71 = n23[10:0];
      end else if (n5) begin
        n71 = n30[10:0];
      end else if (n6) begin
        n71 = n38[10:0];
      end else if (n7) begin
        n71 = 11'h000;
      end
    end
    if (rst) begin
      n71 = 11'h000;
    end
  end
  always @(*) begin
    n72 = address_at_input_in_0;
    if (start) begin
      n72 = 11'h000;
    end else if (advance) begin
      if (n1) begin
      end else if (n2) begin
        n72 = n13[10:0];
      end else if (n3) begin
        n72 = n18[10:0];
      end else if (n4) begin
        n72 = n24[10:0];
      end else if (n5) begin
        n72 = n31[10:0];
      end else if (n6) begin
        n72 = n39[10:0];
      end else if (n7) begin
        n72 = 11'h000;
      end
    end
    if (rst) begin
      n72 = 11'h000;
    end
  end
  always @(*) begin
    n73 = address;
    if (start) begin
      n73 = 11'h000;
    end else if (advance) begin
      if (n1) begin
        n73 = n10[10:0];
      end else if (n2) begin
        n73 = n14[10:0];
      end else if (n3) begin
        n73 = n19[10:0];
      end else if (n4) begin
        n73 = n25[10:0];
      end else if (n5) begin
        n73 = n32[10:0];
      end else if (n6) begin
        n73 = n40[10:0];
      end else if (n7) begin
        n73 = 11'h000;
      end
    end
    if (rst) begin
      n73 = 11'h000;
    end
  end
  assign address_at_input_in_0_bank = address;
  assign n43 = input_in_2_zero;
endmodule

// A memory of several parts, cyclically banked so that every lane has a word each cycle.
module w_in_buffer(w_address, w_data, r_step, r_address, reserve, commit, retire, clk, rst, r_data, free, granted, full, w_valid);
  wire [8:0] n1;
  wire n2;
  wire n3;
  reg n4;
  wire [15:0] bank_word;
  wire [7:0] base;
  input clk;
  wire clk;
  input commit;
  wire commit;
  output free;
  wire free;
  reg fresh1 = 1'h0;
  output full;
  wire full;
  output granted;
  wire granted;
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
  wire [6:0] r_address;
  output [15:0] r_data;
  wire [15:0] r_data;
  input r_step;
  wire r_step;
  input reserve;
  wire reserve;
  input retire;
  wire retire;
  input rst;
  wire rst;
  reg step1 = 1'h0;
  input [6:0] w_address;
  wire [6:0] w_address;
  input [15:0] w_data;
  wire [15:0] w_data;
  input w_valid;
  wire w_valid;
  always @(posedge clk)
    step1 <= n4;
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
  always @(*) begin
    n4 = r_step;
    if (rst) begin
      n4 = 1'h0;
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
  reg [1:0] n23;
  reg [1:0] n24;
  reg [1:0] n25;
  reg [6:0] n26;
  reg [6:0] n27;
  wire n3;
  wire n4;
  wire [2:0] n5;
  wire [2:0] n6;
  wire n7;
  wire n8;
  wire n9;
  input clk;
  wire clk;
  input commit;
  wire commit;
  output free;
  wire free;
  reg [1:0] free_parts = 2'h2;
  output full;
  wire full;
  reg [1:0] full_parts = 2'h0;
  output granted;
  wire granted;
  reg [1:0] granted_parts = 2'h0;
  output [6:0] read_base;
  reg [6:0] read_base = 7'h00;
  input reserve;
  wire reserve;
  input retire;
  wire retire;
  input rst;
  wire rst;
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
  always @(posedge clk)
    free_parts <= n23;
  always @(posedge clk)
    granted_parts <= n24;
  always @(posedge clk)
    full_parts <= n25;
  always @(posedge clk)
    write_base <= n26;
  always @(posedge clk)
    read_base <= n27;
  always @(*) begin
    n23 = free_parts;
    if (n2) begin
      n23 = n5[1:0];
    end else if (n4) begin
      n23 = n6[1:0];
    end
    if (rst) begin
      n23 = 2'h2;
    end
  end
  always @(*) begin
    n24 = granted_parts;
    if (n8) begin
      n24 = n11[1:0];
    end else if (n10) begin
      n24 = n12[1:0];
    end
    if (rst) begin
      n24 = 2'h0;
    end
  end
  always @(*) begin
    n25 = full_parts;
    if (n14) begin
      n25 = n17[1:0];
    end else if (n16) begin
      n25 = n18[1:0];
    end
    if (rst) begin
      n25 = 2'h0;
    end
  end
  always @(*) begin
    n26 = write_base;
    if (commit) begin
      if (n19) begin
        n26 = 7'h00;
      end else begin
        n26 = n20[6:0];
      end
    end
    if (rst) begin
      n26 = 7'h00;
    end
  end
  always @(*) begin
    n27 = read_base;
    if (retire) begin
      if (n21) begin
        n27 = 7'h00;
      end else begin
        n27 = n22[6:0];
      end
    end
    if (rst) begin
      n27 = 7'h00;
    end
  end
endmodule

// A memory of several parts, cyclically banked so that every lane has a word each cycle.
module input_in_buffer(w_address, w_data, w_digit0, r_step, r_address, r_fresh, r_place0, reserve, commit, retire, clk, rst, r_data, free, granted, full, w_valid);
  wire [4:0] n1;
  wire [9:0] n10;
  wire n100;
  wire n1000;
  wire n1001;
  wire n1002;
  wire n1003;
  wire n1004;
  wire n1005;
  wire n1006;
  wire n1007;
  wire n1008;
  wire n1009;
  wire n101;
  wire n1010;
  wire [15:0] n1011;
  wire [15:0] n1012;
  wire n1013;
  wire n1014;
  wire n1015;
  wire n1016;
  wire n1017;
  wire n1018;
  wire n1019;
  wire n102;
  wire n1020;
  wire n1021;
  wire n1022;
  wire n1023;
  wire n1024;
  wire n1025;
  wire n1026;
  wire n1027;
  wire n1028;
  wire n1029;
  wire n103;
  wire n1030;
  wire n1031;
  wire n1032;
  wire n1033;
  wire n1034;
  wire n1035;
  wire n1036;
  wire n1037;
  wire n1038;
  wire n1039;
  wire n104;
  wire n1040;
  wire n1041;
  wire n1042;
  wire n1043;
  wire n1044;
  wire [15:0] n1045;
  wire [15:0] n1046;
  wire [15:0] n1047;
  wire n1048;
  wire n1049;
  wire n105;
  wire n1050;
  wire n1051;
  wire n1052;
  wire n1053;
  wire n1054;
  wire n1055;
  wire n1056;
  wire n1057;
  wire n1058;
  wire n1059;
  wire n106;
  wire n1060;
  wire n1061;
  wire n1062;
  wire n1063;
  wire n1064;
  wire n1065;
  wire n1066;
  wire n1067;
  wire n1068;
  wire n1069;
  wire n107;
  wire n1070;
  wire n1071;
  wire n1072;
  wire n1073;
  wire n1074;
  wire n1075;
  wire n1076;
  wire n1077;
  wire n1078;
  wire n1079;
  wire n108;
  wire [15:0] n1080;
  wire [15:0] n1081;
  wire n1082;
  wire n1083;
  wire n1084;
  wire n1085;
  wire n1086;
  wire n1087;
  wire n1088;
  wire n1089;
  wire n109;
  wire n1090;
  wire n1091;
  wire n1092;
  wire n1093;
  wire n1094;
  wire n1095;
  wire n1096;
  wire n1097;
  wire n1098;
  wire n1099;
  wire [8:0] n11;
  wire n110;
  wire n1100;
  wire n1101;
  wire n1102;
  wire n1103;
  wire n1104;
  wire n1105;
  wire n1106;
  wire n1107;
  wire n1108;
  wire n1109;
  wire n111;
  wire n1110;
  wire n1111;
  wire n1112;
  wire n1113;
  wire [15:0] n1114;
  wire [15:0] n1115;
  wire n1116;
  wire n1117;
  wire n1118;
  wire n1119;
  wire n112;
  wire n1120;
  wire n1121;
  wire n1122;
  wire n1123;
  wire n1124;
  wire n1125;
  wire n1126;
  wire n1127;
  wire n1128;
  wire n1129;
  wire n113;
  wire n1130;
  wire n1131;
  wire n1132;
  wire n1133;
  wire n1134;
  wire n1135;
  wire n1136;
  wire n1137;
  wire n1138;
  wire n1139;
  wire n114;
  wire n1140;
  wire n1141;
  wire n1142;
  wire n1143;
  wire n1144;
  wire n1145;
  wire n1146;
  wire n1147;
  wire [15:0] n1148;
  wire [15:0] n1149;
  wire n115;
  wire n1150;
  wire n1151;
  wire n1152;
  wire n1153;
  wire n1154;
  wire n1155;
  wire n1156;
  wire n1157;
  wire n1158;
  wire n1159;
  wire n116;
  wire n1160;
  wire n1161;
  wire n1162;
  wire n1163;
  wire n1164;
  wire n1165;
  wire n1166;
  wire n1167;
  wire n1168;
  wire n1169;
  wire [7:0] n117;
  wire n1170;
  wire n1171;
  wire n1172;
  wire n1173;
  wire n1174;
  wire n1175;
  wire n1176;
  wire n1177;
  wire n1178;
  wire n1179;
  wire [7:0] n118;
  wire n1180;
  wire n1181;
  wire [15:0] n1182;
  wire [15:0] n1183;
  wire n1184;
  wire n1185;
  wire n1186;
  wire n1187;
  wire n1188;
  wire n1189;
  wire n119;
  wire n1190;
  wire n1191;
  wire n1192;
  wire n1193;
  wire n1194;
  wire n1195;
  reg n1196;
  reg [15:0] n1197;
  reg [15:0] n1198;
  reg [15:0] n1199;
  wire [2:0] n12;
  wire n120;
  reg [15:0] n1200;
  wire n121;
  wire n122;
  wire n123;
  wire n124;
  wire n125;
  wire n126;
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
  wire n150;
  wire [7:0] n151;
  wire [7:0] n152;
  wire n153;
  wire n154;
  wire n155;
  wire n156;
  wire n157;
  wire n158;
  wire n159;
  wire [9:0] n16;
  wire n160;
  wire n161;
  wire n162;
  wire n163;
  wire n164;
  wire n165;
  wire n166;
  wire n167;
  wire n168;
  wire n169;
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
  wire n191;
  wire n192;
  wire n193;
  wire n194;
  wire n195;
  wire n196;
  wire n197;
  wire n198;
  wire n199;
  wire [4:0] n2;
  wire n20;
  wire n200;
  wire n201;
  wire n202;
  wire n203;
  wire [7:0] n204;
  wire [7:0] n205;
  wire n206;
  wire n207;
  wire n208;
  wire n209;
  wire n21;
  wire n210;
  wire n211;
  wire n212;
  wire n213;
  wire n214;
  wire n215;
  wire n216;
  wire n217;
  wire n218;
  wire n219;
  wire n22;
  wire n220;
  wire n221;
  wire n222;
  wire n223;
  wire n224;
  wire n225;
  wire n226;
  wire n227;
  wire n228;
  wire n229;
  wire n23;
  wire n230;
  wire n231;
  wire n232;
  wire n233;
  wire n234;
  wire n235;
  wire n236;
  wire n237;
  wire [7:0] n238;
  wire [7:0] n239;
  wire n24;
  wire n240;
  wire n241;
  wire n242;
  wire n243;
  wire n244;
  wire n245;
  wire n246;
  wire n247;
  wire n248;
  wire n249;
  wire n25;
  wire n250;
  wire n251;
  wire n252;
  wire n253;
  wire n254;
  wire n255;
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
  wire n268;
  wire n269;
  wire n27;
  wire n270;
  wire n271;
  wire [7:0] n272;
  wire [7:0] n273;
  wire n274;
  wire n275;
  wire n276;
  wire n277;
  wire n278;
  wire n279;
  wire n28;
  wire n280;
  wire n281;
  wire n282;
  wire n283;
  wire n284;
  wire n285;
  wire n286;
  wire n287;
  wire n288;
  wire n289;
  wire n29;
  wire n290;
  wire n291;
  wire n292;
  wire n293;
  wire n294;
  wire n295;
  wire n296;
  wire n297;
  wire n298;
  wire n299;
  wire [4:0] n3;
  wire n30;
  wire n300;
  wire n301;
  wire n302;
  wire n303;
  wire n304;
  wire n305;
  wire [7:0] n306;
  wire [7:0] n307;
  wire n308;
  wire n309;
  wire n31;
  wire n310;
  wire n311;
  wire n312;
  wire n313;
  wire n314;
  wire n315;
  wire n316;
  wire n317;
  wire n318;
  wire n319;
  wire n32;
  wire n320;
  wire n321;
  wire n322;
  wire n323;
  wire n324;
  wire n325;
  wire n326;
  wire n327;
  wire n328;
  wire n329;
  wire n33;
  wire n330;
  wire n331;
  wire n332;
  wire n333;
  wire n334;
  wire n335;
  wire n336;
  wire n337;
  wire n338;
  wire n339;
  wire n34;
  wire n340;
  wire n341;
  wire n342;
  wire n343;
  wire n344;
  wire n345;
  wire n346;
  wire n347;
  wire n348;
  wire n349;
  wire n35;
  wire n350;
  wire n351;
  wire n352;
  wire n353;
  wire n354;
  wire n355;
  wire n356;
  wire n357;
  wire n358;
  wire [7:0] n359;
  wire n36;
  wire [7:0] n360;
  wire n361;
  wire n362;
  wire n363;
  wire n364;
  wire n365;
  wire n366;
  wire n367;
  wire n368;
  wire n369;
  wire n37;
  wire n370;
  wire n371;
  wire n372;
  wire n373;
  wire n374;
  wire n375;
  wire n376;
  wire n377;
  wire n378;
  wire n379;
  wire n38;
  wire n380;
  wire n381;
  wire n382;
  wire n383;
  wire n384;
  wire n385;
  wire n386;
  wire n387;
  wire n388;
  wire n389;
  wire n39;
  wire n390;
  wire n391;
  wire n392;
  wire [7:0] n393;
  wire [7:0] n394;
  wire n395;
  wire n396;
  wire n397;
  wire n398;
  wire n399;
  wire [4:0] n4;
  wire n40;
  wire n400;
  wire n401;
  wire n402;
  wire n403;
  wire n404;
  wire n405;
  wire n406;
  wire n407;
  wire n408;
  wire n409;
  wire n41;
  wire n410;
  wire n411;
  wire n412;
  wire n413;
  wire n414;
  wire n415;
  wire n416;
  wire n417;
  wire n418;
  wire n419;
  wire n42;
  wire n420;
  wire n421;
  wire n422;
  wire n423;
  wire n424;
  wire n425;
  wire n426;
  wire [7:0] n427;
  wire [7:0] n428;
  wire n429;
  wire n43;
  wire n430;
  wire n431;
  wire n432;
  wire n433;
  wire n434;
  wire n435;
  wire n436;
  wire n437;
  wire n438;
  wire n439;
  wire n44;
  wire n440;
  wire n441;
  wire n442;
  wire n443;
  wire n444;
  wire n445;
  wire n446;
  wire n447;
  wire n448;
  wire n449;
  wire n45;
  wire n450;
  wire n451;
  wire n452;
  wire n453;
  wire n454;
  wire n455;
  wire n456;
  wire n457;
  wire n458;
  wire n459;
  wire n46;
  wire n460;
  wire [7:0] n461;
  wire [7:0] n462;
  wire n463;
  wire n464;
  wire n465;
  wire n466;
  wire n467;
  wire n468;
  wire n469;
  wire n47;
  wire n470;
  wire n471;
  wire n472;
  wire n473;
  wire n474;
  wire n475;
  wire n476;
  wire n477;
  wire n478;
  wire n479;
  wire n48;
  wire n480;
  wire n481;
  wire n482;
  wire n483;
  wire n484;
  wire n485;
  wire n486;
  wire n487;
  wire n488;
  wire n489;
  wire [7:0] n49;
  wire n490;
  wire n491;
  wire n492;
  wire n493;
  wire n494;
  wire n495;
  wire n496;
  wire n497;
  wire n498;
  wire n499;
  wire [8:0] n5;
  wire [7:0] n50;
  wire n500;
  wire n501;
  wire n502;
  wire n503;
  wire n504;
  wire n505;
  wire n506;
  wire n507;
  wire n508;
  wire n509;
  wire n51;
  wire n510;
  wire n511;
  wire n512;
  wire n513;
  wire [7:0] n514;
  wire [7:0] n515;
  wire n516;
  wire n517;
  wire n518;
  wire n519;
  wire n52;
  wire n520;
  wire n521;
  wire n522;
  wire n523;
  wire n524;
  wire n525;
  wire n526;
  wire n527;
  wire n528;
  wire n529;
  wire n53;
  wire n530;
  wire n531;
  wire n532;
  wire n533;
  wire n534;
  wire n535;
  wire n536;
  wire n537;
  wire n538;
  wire n539;
  wire n54;
  wire n540;
  wire n541;
  wire n542;
  wire n543;
  wire n544;
  wire n545;
  wire n546;
  wire n547;
  wire [7:0] n548;
  wire [7:0] n549;
  wire n55;
  wire n550;
  wire n551;
  wire n552;
  wire n553;
  wire n554;
  wire n555;
  wire n556;
  wire n557;
  wire n558;
  wire n559;
  wire n56;
  wire n560;
  wire n561;
  wire n562;
  wire n563;
  wire n564;
  wire n565;
  wire n566;
  wire n567;
  wire n568;
  wire n569;
  wire n57;
  wire n570;
  wire n571;
  wire n572;
  wire n573;
  wire n574;
  wire n575;
  wire n576;
  wire n577;
  wire n578;
  wire n579;
  wire n58;
  wire n580;
  wire n581;
  wire [7:0] n582;
  wire [7:0] n583;
  wire n584;
  wire n585;
  wire n586;
  wire n587;
  wire n588;
  wire n589;
  wire n59;
  wire n590;
  wire n591;
  wire n592;
  wire n593;
  wire n594;
  wire n595;
  wire n596;
  wire n597;
  wire n598;
  wire n599;
  wire [2:0] n6;
  wire n60;
  wire n600;
  wire n601;
  wire n602;
  wire n603;
  wire n604;
  wire n605;
  wire n606;
  wire n607;
  wire n608;
  wire n609;
  wire n61;
  wire n610;
  wire n611;
  wire n612;
  wire n613;
  wire n614;
  wire n615;
  wire [7:0] n616;
  wire [7:0] n617;
  wire n618;
  wire n619;
  wire n62;
  wire n620;
  wire n621;
  wire n622;
  wire n623;
  wire n624;
  wire n625;
  wire n626;
  wire n627;
  wire n628;
  wire n629;
  wire n63;
  wire n630;
  wire n631;
  wire n632;
  wire n633;
  wire n634;
  wire n635;
  wire n636;
  wire n637;
  wire n638;
  wire n639;
  wire n64;
  wire n640;
  wire n641;
  wire n642;
  wire n643;
  wire n644;
  wire n645;
  wire n646;
  wire n647;
  wire n648;
  wire n649;
  wire n65;
  wire n650;
  wire n651;
  wire n652;
  wire n653;
  wire n654;
  wire n655;
  wire n656;
  wire n657;
  wire n658;
  wire n659;
  wire n66;
  wire n660;
  wire n661;
  wire n662;
  wire n663;
  wire n664;
  wire n665;
  wire n666;
  wire n667;
  wire n668;
  wire [15:0] n669;
  wire n67;
  wire [15:0] n670;
  wire n671;
  wire n672;
  wire n673;
  wire n674;
  wire n675;
  wire n676;
  wire n677;
  wire n678;
  wire n679;
  wire n68;
  wire n680;
  wire n681;
  wire n682;
  wire n683;
  wire n684;
  wire n685;
  wire n686;
  wire n687;
  wire n688;
  wire n689;
  wire n69;
  wire n690;
  wire n691;
  wire n692;
  wire n693;
  wire n694;
  wire n695;
  wire n696;
  wire n697;
  wire n698;
  wire n699;
  wire [9:0] n7;
  wire n70;
  wire n700;
  wire n701;
  wire n702;
  wire [15:0] n703;
  wire [15:0] n704;
  wire n705;
  wire n706;
  wire n707;
  wire n708;
  wire n709;
  wire n71;
  wire n710;
  wire n711;
  wire n712;
  wire n713;
  wire n714;
  wire n715;
  wire n716;
  wire n717;
  wire n718;
  wire n719;
  wire n72;
  wire n720;
  wire n721;
  wire n722;
  wire n723;
  wire n724;
  wire n725;
  wire n726;
  wire n727;
  wire n728;
  wire n729;
  wire n73;
  wire n730;
  wire n731;
  wire n732;
  wire n733;
  wire n734;
  wire n735;
  wire n736;
  wire [15:0] n737;
  wire [15:0] n738;
  wire n739;
  wire n74;
  wire n740;
  wire n741;
  wire n742;
  wire n743;
  wire n744;
  wire n745;
  wire n746;
  wire n747;
  wire n748;
  wire n749;
  wire n75;
  wire n750;
  wire n751;
  wire n752;
  wire n753;
  wire n754;
  wire n755;
  wire n756;
  wire n757;
  wire n758;
  wire n759;
  wire n76;
  wire n760;
  wire n761;
  wire n762;
  wire n763;
  wire n764;
  wire n765;
  wire n766;
  wire n767;
  wire n768;
  wire n769;
  wire n77;
  wire n770;
  wire [15:0] n771;
  wire [15:0] n772;
  wire [15:0] n773;
  wire n774;
  wire n775;
  wire n776;
  wire n777;
  wire n778;
  wire n779;
  wire n78;
  wire n780;
  wire n781;
  wire n782;
  wire n783;
  wire n784;
  wire n785;
  wire n786;
  wire n787;
  wire n788;
  wire n789;
  wire n79;
  wire n790;
  wire n791;
  wire n792;
  wire n793;
  wire n794;
  wire n795;
  wire n796;
  wire n797;
  wire n798;
  wire n799;
  wire [8:0] n8;
  wire n80;
  wire n800;
  wire n801;
  wire n802;
  wire n803;
  wire n804;
  wire n805;
  wire [15:0] n806;
  wire [15:0] n807;
  wire n808;
  wire n809;
  wire n81;
  wire n810;
  wire n811;
  wire n812;
  wire n813;
  wire n814;
  wire n815;
  wire n816;
  wire n817;
  wire n818;
  wire n819;
  wire n82;
  wire n820;
  wire n821;
  wire n822;
  wire n823;
  wire n824;
  wire n825;
  wire n826;
  wire n827;
  wire n828;
  wire n829;
  wire [7:0] n83;
  wire n830;
  wire n831;
  wire n832;
  wire n833;
  wire n834;
  wire n835;
  wire n836;
  wire n837;
  wire n838;
  wire n839;
  wire [7:0] n84;
  wire [15:0] n840;
  wire [15:0] n841;
  wire n842;
  wire n843;
  wire n844;
  wire n845;
  wire n846;
  wire n847;
  wire n848;
  wire n849;
  wire n85;
  wire n850;
  wire n851;
  wire n852;
  wire n853;
  wire n854;
  wire n855;
  wire n856;
  wire n857;
  wire n858;
  wire n859;
  wire n86;
  wire n860;
  wire n861;
  wire n862;
  wire n863;
  wire n864;
  wire n865;
  wire n866;
  wire n867;
  wire n868;
  wire n869;
  wire n87;
  wire n870;
  wire n871;
  wire n872;
  wire n873;
  wire [15:0] n874;
  wire [15:0] n875;
  wire n876;
  wire n877;
  wire n878;
  wire n879;
  wire n88;
  wire n880;
  wire n881;
  wire n882;
  wire n883;
  wire n884;
  wire n885;
  wire n886;
  wire n887;
  wire n888;
  wire n889;
  wire n89;
  wire n890;
  wire n891;
  wire n892;
  wire n893;
  wire n894;
  wire n895;
  wire n896;
  wire n897;
  wire n898;
  wire n899;
  wire [2:0] n9;
  wire n90;
  wire n900;
  wire n901;
  wire n902;
  wire n903;
  wire n904;
  wire n905;
  wire n906;
  wire n907;
  wire [15:0] n908;
  wire [15:0] n909;
  wire n91;
  wire [15:0] n910;
  wire n911;
  wire n912;
  wire n913;
  wire n914;
  wire n915;
  wire n916;
  wire n917;
  wire n918;
  wire n919;
  wire n92;
  wire n920;
  wire n921;
  wire n922;
  wire n923;
  wire n924;
  wire n925;
  wire n926;
  wire n927;
  wire n928;
  wire n929;
  wire n93;
  wire n930;
  wire n931;
  wire n932;
  wire n933;
  wire n934;
  wire n935;
  wire n936;
  wire n937;
  wire n938;
  wire n939;
  wire n94;
  wire n940;
  wire n941;
  wire n942;
  wire [15:0] n943;
  wire [15:0] n944;
  wire n945;
  wire n946;
  wire n947;
  wire n948;
  wire n949;
  wire n95;
  wire n950;
  wire n951;
  wire n952;
  wire n953;
  wire n954;
  wire n955;
  wire n956;
  wire n957;
  wire n958;
  wire n959;
  wire n96;
  wire n960;
  wire n961;
  wire n962;
  wire n963;
  wire n964;
  wire n965;
  wire n966;
  wire n967;
  wire n968;
  wire n969;
  wire n97;
  wire n970;
  wire n971;
  wire n972;
  wire n973;
  wire n974;
  wire n975;
  wire n976;
  wire [15:0] n977;
  wire [15:0] n978;
  wire n979;
  wire n98;
  wire n980;
  wire n981;
  wire n982;
  wire n983;
  wire n984;
  wire n985;
  wire n986;
  wire n987;
  wire n988;
  wire n989;
  wire n99;
  wire n990;
  wire n991;
  wire n992;
  wire n993;
  wire n994;
  wire n995;
  wire n996;
  wire n997;
  wire n998;
  wire n999;
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
  wire clk;
  input commit;
  wire commit;
  output free;
  wire free;
  reg fresh1 = 1'h0;
  wire fresh_late3;
  output full;
  wire full;
  output granted;
  wire granted;
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
  wire [6:0] r_address;
  output [63:0] r_data;
  wire [63:0] r_data;
  input r_fresh;
  wire r_fresh;
  input [3:0] r_place0;
  wire [3:0] r_place0;
  input r_step;
  wire r_step;
  input reserve;
  wire reserve;
  input retire;
  wire retire;
  input rst;
  wire rst;
  reg step1 = 1'h0;
  input [6:0] w_address;
  wire [6:0] w_address;
  input [15:0] w_data;
  wire [15:0] w_data;
  input [1:0] w_digit0;
  wire [1:0] w_digit0;
  input w_valid;
  wire w_valid;
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
  assign n21 = step1 & fresh1;
  assign n22 = ! lane0_digit0;
  assign n24 = n21 & n23;
  assign n25 = step1 & fresh1;
  assign n26 = ! lane0_digit0;
  assign n28 = n25 & n27;
  assign n29 = step1 & fresh1;
  assign n30 = ! lane0_digit0;
  assign n32 = n29 & n31;
  assign n33 = step1 & fresh1;
  assign n34 = ! lane0_digit0;
  assign n36 = n33 & n35;
  assign n37 = step1 & fresh1;
  assign n38 = ! lane0_digit0;
  assign n40 = n37 & n39;
  assign n41 = step1 & fresh1;
  assign n42 = ! lane0_digit0;
  assign n44 = n41 & n43;
  assign n45 = step1 & fresh1;
  assign n46 = ! lane0_digit0;
  assign n48 = n45 & n47;
  assign n49 = lane0_address & { n48, n44, n40, n36, n32, n28, n24, n20 };
  assign n51 = step1 & fresh1;
  assign n52 = ! lane1_digit0;
  assign n54 = n51 & n53;
  assign n55 = step1 & fresh1;
  assign n56 = ! lane1_digit0;
  assign n58 = n55 & n57;
  assign n59 = step1 & fresh1;
  assign n60 = ! lane1_digit0;
  assign n62 = n59 & n61;
  assign n63 = step1 & fresh1;
  assign n64 = ! lane1_digit0;
  assign n66 = n63 & n65;
  assign n67 = step1 & fresh1;
  assign n68 = ! lane1_digit0;
  assign n70 = n67 & n69;
  assign n71 = step1 & fresh1;
  assign n72 = ! lane1_digit0;
  assign n74 = n71 & n73;
  assign n75 = step1 & fresh1;
  assign n76 = ! lane1_digit0;
  assign n78 = n75 & n77;
  assign n79 = step1 & fresh1;
  assign n80 = ! lane1_digit0;
  assign n82 = n79 & n81;
  assign n83 = lane1_address & { n82, n78, n74, n70, n66, n62, n58, n54 };
  assign n84 = n50 | n83;
  assign n85 = step1 & fresh1;
  assign n86 = ! lane2_digit0;
  assign n88 = n85 & n87;
  assign n89 = step1 & fresh1;
  assign n90 = ! lane2_digit0;
  assign n92 = n89 & n91;
  assign n93 = step1 & fresh1;
  assign n94 = ! lane2_digit0;
  assign n96 = n93 & n95;
  assign n97 = step1 & fresh1;
  assign n98 = ! lane2_digit0;
  assign n100 = n97 & n99;
  assign n101 = step1 & fresh1;
  assign n102 = ! lane2_digit0;
  assign n104 = n101 & n103;
  assign n105 = step1 & fresh1;
  assign n106 = ! lane2_digit0;
  assign n108 = n105 & n107;
  assign n109 = step1 & fresh1;
  assign n110 = ! lane2_digit0;
  assign n112 = n109 & n111;
  assign n113 = step1 & fresh1;
  assign n114 = ! lane2_digit0;
  assign n116 = n113 & n115;
  assign n117 = lane2_address & { n116, n112, n108, n104, n100, n96, n92, n88 };
  assign n118 = n84 | n117;
  assign n120 = ! lane3_digit0;
  assign n122 = n119 & n121;
  assign n124 = ! lane3_digit0;
  assign n126 = n123 & n125;
  assign n128 = ! lane3_digit0;
  assign n130 = n127 & n129;
  assign n132 = ! lane3_digit0;
  assign n134 = n131 & n133;
  assign n136 = ! lane3_digit0;
  assign n138 = n135 & n137;
  assign n140 = ! lane3_digit0;
  assign n142 = n139 & n141;
  assign n144 = ! lane3_digit0;
  assign n146 = n143 & n145;
  assign n148 = ! lane3_digit0;
  assign n150 = n147 & n149;
  assign n151 = lane3_address & { n150, n146, n142, n138, n134, n130, n126, n122 };
  assign n152 = n118 | n151;
  assign n153 = step1 & fresh1;
  assign n154 = ! lane0_digit0;
  assign n156 = n153 & n155;
  assign n157 = step1 & fresh1;
  assign n158 = ! lane1_digit0;
  assign n160 = n157 & n159;
  assign n161 = n156 | n160;
  assign n162 = step1 & fresh1;
  assign n163 = ! lane2_digit0;
  assign n165 = n162 & n164;
  assign n166 = n161 | n165;
  assign n168 = ! lane3_digit0;
  assign n170 = n167 & n169;
  assign n171 = n166 | n170;
  assign n172 = step1 & fresh1;
  assign n173 = lane0_digit0 == 1'h1;
  assign n175 = n172 & n174;
  assign n176 = step1 & fresh1;
  assign n177 = lane0_digit0 == 1'h1;
  assign n179 = n176 & n178;
  assign n180 = step1 & fresh1;
  assign n181 = lane0_digit0 == 1'h1;
  assign n183 = n180 & n182;
  assign n184 = step1 & fresh1;
  assign n185 = lane0_digit0 == 1'h1;
  assign n187 = n184 & n186;
  assign n188 = step1 & fresh1;
  assign n189 = lane0_digit0 == 1'h1;
  assign n191 = n188 & n190;
  assign n192 = step1 & fresh1;
  assign n193 = lane0_digit0 == 1'h1;
  assign n195 = n192 & n194;
  assign n196 = step1 & fresh1;
  assign n197 = lane0_digit0 == 1'h1;
  assign n199 = n196 & n198;
  assign n200 = step1 & fresh1;
  assign n201 = lane0_digit0 == 1'h1;
  assign n203 = n200 & n202;
  assign n204 = lane0_address & { n203, n199, n195, n191, n187, n183, n179, n175 };
  assign n206 = step1 & fresh1;
  assign n207 = lane1_digit0 == 1'h1;
  assign n209 = n206 & n208;
  assign n210 = step1 & fresh1;
  assign n211 = lane1_digit0 == 1'h1;
  assign n213 = n210 & n212;
  assign n214 = step1 & fresh1;
  assign n215 = lane1_digit0 == 1'h1;
  assign n217 = n214 & n216;
  assign n218 = step1 & fresh1;
  assign n219 = lane1_digit0 == 1'h1;
  assign n221 = n218 & n220;
  assign n222 = step1 & fresh1;
  assign n223 = lane1_digit0 == 1'h1;
  assign n225 = n222 & n224;
  assign n226 = step1 & fresh1;
  assign n227 = lane1_digit0 == 1'h1;
  assign n229 = n226 & n228;
  assign n230 = step1 & fresh1;
  assign n231 = lane1_digit0 == 1'h1;
  assign n233 = n230 & n232;
  assign n234 = step1 & fresh1;
  assign n235 = lane1_digit0 == 1'h1;
  assign n237 = n234 & n236;
  assign n238 = lane1_address & { n237, n233, n229, n225, n221, n217, n213, n209 };
  assign n239 = n205 | n238;
  assign n240 = step1 & fresh1;
  assign n241 = lane2_digit0 == 1'h1;
  assign n243 = n240 & n242;
  assign n244 = step1 & fresh1;
  assign n245 = lane2_digit0 == 1'h1;
  assign n247 = n244 & n246;
  assign n248 = step1 & fresh1;
  assign n249 = lane2_digit0 == 1'h1;
  assign n251 = n248 & n250;
  assign n252 = step1 & fresh1;
  assign n253 = lane2_digit0 == 1'h1;
  assign n255 = n252 & n254;
  assign n256 = step1 & fresh1;
  assign n257 = lane2_digit0 == 1'h1;
  assign n259 = n256 & n258;
  assign n260 = step1 & fresh1;
  assign n261 = lane2_digit0 == 1'h1;
  assign n263 = n260 & n262;
  assign n264 = step1 & fresh1;
  assign n265 = lane2_digit0 == 1'h1;
  assign n267 = n264 & n266;
  assign n268 = step1 & fresh1;
  assign n269 = lane2_digit0 == 1'h1;
  assign n271 = n268 & n270;
  assign n272 = lane2_address & { n271, n267, n263, n259, n255, n251, n247, n243 };
  assign n273 = n239 | n272;
  assign n275 = lane3_digit0 == 1'h1;
  assign n277 = n274 & n276;
  assign n279 = lane3_digit0 == 1'h1;
  assign n281 = n278 & n280;
  assign n283 = lane3_digit0 == 1'h1;
  assign n285 = n282 & n284;
  assign n287 = lane3_digit0 == 1'h1;
  assign n289 = n286 & n288;
  assign n291 = lane3_digit0 == 1'h1;
  assign n293 = n290 & n292;
  assign n295 = lane3_digit0 == 1'h1;
  assign n297 = n294 & n296;
  assign n299 = lane3_digit0 == 1'h1;
  assign n301 = n298 & n300;
  assign n303 = lane3_digit0 == 1'h1;
  assign n305 = n302 & n304;
  assign n306 = lane3_address & { n305, n301, n297, n293, n289, n285, n281, n277 };
  assign n307 = n273 | n306;
  assign n308 = step1 & fresh1;
  assign n309 = lane0_digit0 == 1'h1;
  assign n311 = n308 & n310;
  assign n312 = step1 & fresh1;
  assign n313 = lane1_digit0 == 1'h1;
  assign n315 = n312 & n314;
  assign n316 = n311 | n315;
  assign n317 = step1 & fresh1;
  assign n318 = lane2_digit0 == 1'h1;
  assign n320 = n317 & n319;
  assign n321 = n316 | n320;
  assign n323 = lane3_digit0 == 1'h1;
  assign n325 = n322 & n324;
  assign n326 = n321 | n325;
  assign n327 = step1 & fresh1;
  assign n328 = lane0_digit0 == 2'h2;
  assign n330 = n327 & n329;
  assign n331 = step1 & fresh1;
  assign n332 = lane0_digit0 == 2'h2;
  assign n334 = n331 & n333;
  assign n335 = step1 & fresh1;
  assign n336 = lane0_digit0 == 2'h2;
  assign n338 = n335 & n337;
  assign n339 = step1 & fresh1;
  assign n340 = lane0_digit0 == 2'h2;
  assign n342 = n339 & n341;
  assign n343 = step1 & fresh1;
  assign n344 = lane0_digit0 == 2'h2;
  assign n346 = n343 & n345;
  assign n347 = step1 & fresh1;
  assign n348 = lane0_digit0 == 2'h2;
  assign n350 = n347 & n349;
  assign n351 = step1 & fresh1;
  assign n352 = lane0_digit0 == 2'h2;
  assign n354 = n351 & n353;
  assign n355 = step1 & fresh1;
  assign n356 = lane0_digit0 == 2'h2;
  assign n358 = n355 & n357;
  assign n359 = lane0_address & { n358, n354, n350, n346, n342, n338, n334, n330 };
  assign n361 = step1 & fresh1;
  assign n362 = lane1_digit0 == 2'h2;
  assign n364 = n361 & n363;
  assign n365 = step1 & fresh1;
  assign n366 = lane1_digit0 == 2'h2;
  assign n368 = n365 & n367;
  assign n369 = step1 & fresh1;
  assign n370 = lane1_digit0 == 2'h2;
  assign n372 = n369 & n371;
  assign n373 = step1 & fresh1;
  assign n374 = lane1_digit0 == 2'h2;
  assign n376 = n373 & n375;
  assign n377 = step1 & fresh1;
  assign n378 = lane1_digit0 == 2'h2;
  assign n380 = n377 & n379;
  assign n381 = step1 & fresh1;
  assign n382 = lane1_digit0 == 2'h2;
  assign n384 = n381 & n383;
  assign n385 = step1 & fresh1;
  assign n386 = lane1_digit0 == 2'h2;
  assign n388 = n385 & n387;
  assign n389 = step1 & fresh1;
  assign n390 = lane1_digit0 == 2'h2;
  assign n392 = n389 & n391;
  assign n393 = lane1_address & { n392, n388, n384, n380, n376, n372, n368, n364 };
  assign n394 = n360 | n393;
  assign n395 = step1 & fresh1;
  assign n396 = lane2_digit0 == 2'h2;
  assign n398 = n395 & n397;
  assign n399 = step1 & fresh1;
  assign n400 = lane2_digit0 == 2'h2;
  assign n402 = n399 & n401;
  assign n403 = step1 & fresh1;
  assign n404 = lane2_digit0 == 2'h2;
  assign n406 = n403 & n405;
  assign n407 = step1 & fresh1;
  assign n408 = lane2_digit0 == 2'h2;
  assign n410 = n407 & n409;
  assign n411 = step1 & fresh1;
  assign n412 = lane2_digit0 == 2'h2;
  assign n414 = n411 & n413;
  assign n415 = step1 & fresh1;
  assign n416 = lane2_digit0 == 2'h2;
  assign n418 = n415 & n417;
  assign n419 = step1 & fresh1;
  assign n420 = lane2_digit0 == 2'h2;
  assign n422 = n419 & n421;
  assign n423 = step1 & fresh1;
  assign n424 = lane2_digit0 == 2'h2;
  assign n426 = n423 & n425;
  assign n427 = lane2_address & { n426, n422, n418, n414, n410, n406, n402, n398 };
  assign n428 = n394 | n427;
  assign n430 = lane3_digit0 == 2'h2;
  assign n432 = n429 & n431;
  assign n434 = lane3_digit0 == 2'h2;
  assign n436 = n433 & n435;
  assign n438 = lane3_digit0 == 2'h2;
  assign n440 = n437 & n439;
  assign n442 = lane3_digit0 == 2'h2;
  assign n444 = n441 & n443;
  assign n446 = lane3_digit0 == 2'h2;
  assign n448 = n445 & n447;
  assign n450 = lane3_digit0 == 2'h2;
  assign n452 = n449 & n451;
  assign n454 = lane3_digit0 == 2'h2;
  assign n456 = n453 & n455;
  assign n458 = lane3_digit0 == 2'h2;
  assign n460 = n457 & n459;
  assign n461 = lane3_address & { n460, n456, n452, n448, n444, n440, n436, n432 };
  assign n462 = n428 | n461;
  assign n463 = step1 & fresh1;
  assign n464 = lane0_digit0 == 2'h2;
  assign n466 = n463 & n465;
  assign n467 = step1 & fresh1;
  assign n468 = lane1_digit0 == 2'h2;
  assign n470 = n467 & n469;
  assign n471 = n466 | n470;
  assign n472 = step1 & fresh1;
  assign n473 = lane2_digit0 == 2'h2;
  assign n475 = n472 & n474;
  assign n476 = n471 | n475;
  assign n478 = lane3_digit0 == 2'h2;
  assign n480 = n477 & n479;
  assign n481 = n476 | n480;
  assign n482 = step1 & fresh1;
  assign n483 = lane0_digit0 == 2'h3;
  assign n485 = n482 & n484;
  assign n486 = step1 & fresh1;
  assign n487 = lane0_digit0 == 2'h3;
  assign n489 = n486 & n488;
  assign n490 = step1 & fresh1;
  assign n491 = lane0_digit0 == 2'h3;
  assign n493 = n490 & n492;
  assign n494 = step1 & fresh1;
  assign n495 = lane0_digit0 == 2'h3;
  assign n497 = n494 & n496;
  assign n498 = step1 & fresh1;
  assign n499 = lane0_digit0 == 2'h3;
  assign n501 = n498 & n500;
  assign n502 = step1 & fresh1;
  assign n503 = lane0_digit0 == 2'h3;
  assign n505 = n502 & n504;
  assign n506 = step1 & fresh1;
  assign n507 = lane0_digit0 == 2'h3;
  assign n509 = n506 & n508;
  assign n510 = step1 & fresh1;
  assign n511 = lane0_digit0 == 2'h3;
  assign n513 = n510 & n512;
  assign n514 = lane0_address & { n513, n509, n505, n501, n497, n493, n489, n485 };
  assign n516 = step1 & fresh1;
  assign n517 = lane1_digit0 == 2'h3;
  assign n519 = n516 & n518;
  assign n520 = step1 & fresh1;
  assign n521 = lane1_digit0 == 2'h3;
  assign n523 = n520 & n522;
  assign n524 = step1 & fresh1;
  assign n525 = lane1_digit0 == 2'h3;
  assign n527 = n524 & n526;
  assign n528 = step1 & fresh1;
  assign n529 = lane1_digit0 == 2'h3;
  assign n531 = n528 & n530;
  assign n532 = step1 & fresh1;
  assign n533 = lane1_digit0 == 2'h3;
  assign n535 = n532 & n534;
  assign n536 = step1 & fresh1;
  assign n537 = lane1_digit0 == 2'h3;
  assign n539 = n536 & n538;
  assign n540 = step1 & fresh1;
  assign n541 = lane1_digit0 == 2'h3;
  assign n543 = n540 & n542;
  assign n544 = step1 & fresh1;
  assign n545 = lane1_digit0 == 2'h3;
  assign n547 = n544 & n546;
  assign n548 = lane1_address & { n547, n543, n539, n535, n531, n527, n523, n519 };
  assign n549 = n515 | n548;
  assign n550 = step1 & fresh1;
  assign n551 = lane2_digit0 == 2'h3;
  assign n553 = n550 & n552;
  assign n554 = step1 & fresh1;
  assign n555 = lane2_digit0 == 2'h3;
  assign n557 = n554 & n556;
  assign n558 = step1 & fresh1;
  assign n559 = lane2_digit0 == 2'h3;
  assign n561 = n558 & n560;
  assign n562 = step1 & fresh1;
  assign n563 = lane2_digit0 == 2'h3;
  assign n565 = n562 & n564;
  assign n566 = step1 & fresh1;
  assign n567 = lane2_digit0 == 2'h3;
  assign n569 = n566 & n568;
  assign n570 = step1 & fresh1;
  assign n571 = lane2_digit0 == 2'h3;
  assign n573 = n570 & n572;
  assign n574 = step1 & fresh1;
  assign n575 = lane2_digit0 == 2'h3;
  assign n577 = n574 & n576;
  assign n578 = step1 & fresh1;
  assign n579 = lane2_digit0 == 2'h3;
  assign n581 = n578 & n580;
  assign n582 = lane2_address & { n581, n577, n573, n569, n565, n561, n557, n553 };
  assign n583 = n549 | n582;
  assign n585 = lane3_digit0 == 2'h3;
  assign n587 = n584 & n586;
  assign n589 = lane3_digit0 == 2'h3;
  assign n591 = n588 & n590;
  assign n593 = lane3_digit0 == 2'h3;
  assign n595 = n592 & n594;
  assign n597 = lane3_digit0 == 2'h3;
  assign n599 = n596 & n598;
  assign n601 = lane3_digit0 == 2'h3;
  assign n603 = n600 & n602;
  assign n605 = lane3_digit0 == 2'h3;
  assign n607 = n604 & n606;
  assign n609 = lane3_digit0 == 2'h3;
  assign n611 = n608 & n610;
  assign n613 = lane3_digit0 == 2'h3;
  assign n615 = n612 & n614;
  assign n616 = lane3_address & { n615, n611, n607, n603, n599, n595, n591, n587 };
  assign n617 = n583 | n616;
  assign n618 = step1 & fresh1;
  assign n619 = lane0_digit0 == 2'h3;
  assign n621 = n618 & n620;
  assign n622 = step1 & fresh1;
  assign n623 = lane1_digit0 == 2'h3;
  assign n625 = n622 & n624;
  assign n626 = n621 | n625;
  assign n627 = step1 & fresh1;
  assign n628 = lane2_digit0 == 2'h3;
  assign n630 = n627 & n629;
  assign n631 = n626 | n630;
  assign n633 = lane3_digit0 == 2'h3;
  assign n635 = n632 & n634;
  assign n636 = n631 | n635;
  assign n637 = ! lane0_turn0_late3;
  assign n639 = ! lane0_turn0_late3;
  assign n641 = ! lane0_turn0_late3;
  assign n643 = ! lane0_turn0_late3;
  assign n645 = ! lane0_turn0_late3;
  assign n647 = ! lane0_turn0_late3;
  assign n649 = ! lane0_turn0_late3;
  assign n651 = ! lane0_turn0_late3;
  assign n653 = ! lane0_turn0_late3;
  assign n655 = ! lane0_turn0_late3;
  assign n657 = ! lane0_turn0_late3;
  assign n659 = ! lane0_turn0_late3;
  assign n661 = ! lane0_turn0_late3;
  assign n663 = ! lane0_turn0_late3;
  assign n665 = ! lane0_turn0_late3;
  assign n667 = ! lane0_turn0_late3;
  assign n669 = bank_0_word & { n668, n666, n664, n662, n660, n658, n656, n654, n652, n650, n648, n646, n644, n642, n640, n638 };
  assign n671 = lane0_turn0_late3 == 1'h1;
  assign n673 = lane0_turn0_late3 == 1'h1;
  assign n675 = lane0_turn0_late3 == 1'h1;
  assign n677 = lane0_turn0_late3 == 1'h1;
  assign n679 = lane0_turn0_late3 == 1'h1;
  assign n681 = lane0_turn0_late3 == 1'h1;
  assign n683 = lane0_turn0_late3 == 1'h1;
  assign n685 = lane0_turn0_late3 == 1'h1;
  assign n687 = lane0_turn0_late3 == 1'h1;
  assign n689 = lane0_turn0_late3 == 1'h1;
  assign n691 = lane0_turn0_late3 == 1'h1;
  assign n693 = lane0_turn0_late3 == 1'h1;
  assign n695 = lane0_turn0_late3 == 1'h1;
  assign n697 = lane0_turn0_late3 == 1'h1;
  assign n699 = lane0_turn0_late3 == 1'h1;
  assign n701 = lane0_turn0_late3 == 1'h1;
  assign n703 = bank_1_word & { n702, n700, n698, n696, n694, n692, n690, n688, n686, n684, n682, n680, n678, n676, n674, n672 };
  assign n704 = n670 | n703;
  assign n705 = lane0_turn0_late3 == 2'h2;
  assign n707 = lane0_turn0_late3 == 2'h2;
  assign n709 = lane0_turn0_late3 == 2'h2;
  assign n711 = lane0_turn0_late3 == 2'h2;
  assign n713 = lane0_turn0_late3 == 2'h2;
  assign n715 = lane0_turn0_late3 == 2'h2;
  assign n717 = lane0_turn0_late3 == 2'h2;
  assign n719 = lane0_turn0_late3 == 2'h2;
  assign n721 = lane0_turn0_late3 == 2'h2;
  assign n723 = lane0_turn0_late3 == 2'h2;
  assign n725 = lane0_turn0_late3 == 2'h2;
  assign n727 = lane0_turn0_late3 == 2'h2;
  assign n729 = lane0_turn0_late3 == 2'h2;
  assign n731 = lane0_turn0_late3 == 2'h2;
  assign n733 = lane0_turn0_late3 == 2'h2;
  assign n735 = lane0_turn0_late3 == 2'h2;
  assign n737 = bank_2_word & { n736, n734, n732, n730, n728, n726, n724, n722, n720, n718, n716, n714, n712, n710, n708, n706 };
  assign n738 = n704 | n737;
  assign n739 = lane0_turn0_late3 == 2'h3;
  assign n741 = lane0_turn0_late3 == 2'h3;
  assign n743 = lane0_turn0_late3 == 2'h3;
  assign n745 = lane0_turn0_late3 == 2'h3;
  assign n747 = lane0_turn0_late3 == 2'h3;
  assign n749 = lane0_turn0_late3 == 2'h3;
  assign n751 = lane0_turn0_late3 == 2'h3;
  assign n753 = lane0_turn0_late3 == 2'h3;
  assign n755 = lane0_turn0_late3 == 2'h3;
  assign n757 = lane0_turn0_late3 == 2'h3;
  assign n759 = lane0_turn0_late3 == 2'h3;
  assign n761 = lane0_turn0_late3 == 2'h3;
  assign n763 = lane0_turn0_late3 == 2'h3;
  assign n765 = lane0_turn0_late3 == 2'h3;
  assign n767 = lane0_turn0_late3 == 2'h3;
  assign n769 = lane0_turn0_late3 == 2'h3;
  assign n771 = bank_3_word & { n770, n768, n766, n764, n762, n760, n758, n756, n754, n752, n750, n748, n746, n744, n742, n740 };
  assign n772 = n738 | n771;
  assign n773 = fresh_late3 ? n772 : lane1_word;
  assign n774 = ! lane1_turn0_late3;
  assign n776 = ! lane1_turn0_late3;
  assign n778 = ! lane1_turn0_late3;
  assign n780 = ! lane1_turn0_late3;
  assign n782 = ! lane1_turn0_late3;
  assign n784 = ! lane1_turn0_late3;
  assign n786 = ! lane1_turn0_late3;
  assign n788 = ! lane1_turn0_late3;
  assign n790 = ! lane1_turn0_late3;
  assign n792 = ! lane1_turn0_late3;
  assign n794 = ! lane1_turn0_late3;
  assign n796 = ! lane1_turn0_late3;
  assign n798 = ! lane1_turn0_late3;
  assign n800 = ! lane1_turn0_late3;
  assign n802 = ! lane1_turn0_late3;
  assign n804 = ! lane1_turn0_late3;
  assign n806 = bank_0_word & { n805, n803, n801, n799, n797, n795, n793, n791, n789, n787, n785, n783, n781, n779, n777, n775 };
  assign n808 = lane1_turn0_late3 == 1'h1;
  assign n810 = lane1_turn0_late3 == 1'h1;
  assign n812 = lane1_turn0_late3 == 1'h1;
  assign n814 = lane1_turn0_late3 == 1'h1;
  assign n816 = lane1_turn0_late3 == 1'h1;
  assign n818 = lane1_turn0_late3 == 1'h1;
  assign n820 = lane1_turn0_late3 == 1'h1;
  assign n822 = lane1_turn0_late3 == 1'h1;
  assign n824 = lane1_turn0_late3 == 1'h1;
  assign n826 = lane1_turn0_late3 == 1'h1;
  assign n828 = lane1_turn0_late3 == 1'h1;
  assign n830 = lane1_turn0_late3 == 1'h1;
  assign n832 = lane1_turn0_late3 == 1'h1;
  assign n834 = lane1_turn0_late3 == 1'h1;
  assign n836 = lane1_turn0_late3 == 1'h1;
  assign n838 = lane1_turn0_late3 == 1'h1;
  assign n840 = bank_1_word & { n839, n837, n835, n833, n831, n829, n827, n825, n823, n821, n819, n817, n815, n813, n811, n809 };
  assign n841 = n807 | n840;
  assign n842 = lane1_turn0_late3 == 2'h2;
  assign n844 = lane1_turn0_late3 == 2'h2;
  assign n846 = lane1_turn0_late3 == 2'h2;
  assign n848 = lane1_turn0_late3 == 2'h2;
  assign n850 = lane1_turn0_late3 == 2'h2;
  assign n852 = lane1_turn0_late3 == 2'h2;
  assign n854 = lane1_turn0_late3 == 2'h2;
  assign n856 = lane1_turn0_late3 == 2'h2;
  assign n858 = lane1_turn0_late3 == 2'h2;
  assign n860 = lane1_turn0_late3 == 2'h2;
  assign n862 = lane1_turn0_late3 == 2'h2;
  assign n864 = lane1_turn0_late3 == 2'h2;
  assign n866 = lane1_turn0_late3 == 2'h2;
  assign n868 = lane1_turn0_late3 == 2'h2;
  assign n870 = lane1_turn0_late3 == 2'h2;
  assign n872 = lane1_turn0_late3 == 2'h2;
  assign n874 = bank_2_word & { n873, n871, n869, n867, n865, n863, n861, n859, n857, n855, n853, n851, n849, n847, n845, n843 };
  assign n875 = n841 | n874;
  assign n876 = lane1_turn0_late3 == 2'h3;
  assign n878 = lane1_turn0_late3 == 2'h3;
  assign n880 = lane1_turn0_late3 == 2'h3;
  assign n882 = lane1_turn0_late3 == 2'h3;
  assign n884 = lane1_turn0_late3 == 2'h3;
  assign n886 = lane1_turn0_late3 == 2'h3;
  assign n888 = lane1_turn0_late3 == 2'h3;
  assign n890 = lane1_turn0_late3 == 2'h3;
  assign n892 = lane1_turn0_late3 == 2'h3;
  assign n894 = lane1_turn0_late3 == 2'h3;
  assign n896 = lane1_turn0_late3 == 2'h3;
  assign n898 = lane1_turn0_late3 == 2'h3;
  assign n900 = lane1_turn0_late3 == 2'h3;
  assign n902 = lane1_turn0_late3 == 2'h3;
  assign n904 = lane1_turn0_late3 == 2'h3;
  assign n906 = lane1_turn0_late3 == 2'h3;
  assign n908 = bank_3_word & { n907, n905, n903, n901, n899, n897, n895, n893, n891, n889, n887, n885, n883, n881, n879, n877 };
  assign n909 = n875 | n908;
  assign n910 = fresh_late3 ? n909 : lane2_word;
  assign n911 = ! lane2_turn0_late3;
  assign n913 = ! lane2_turn0_late3;
  assign n915 = ! lane2_turn0_late3;
  assign n917 = ! lane2_turn0_late3;
  assign n919 = ! lane2_turn0_late3;
  assign n921 = ! lane2_turn0_late3;
  assign n923 = ! lane2_turn0_late3;
  assign n925 = ! lane2_turn0_late3;
  assign n927 = ! lane2_turn0_late3;
  assign n929 = ! lane2_turn0_late3;
  assign n931 = ! lane2_turn0_late3;
  assign n933 = ! lane2_turn0_late3;
  assign n935 = ! lane2_turn0_late3;
  assign n937 = ! lane2_turn0_late3;
  assign n939 = ! lane2_turn0_late3;
  assign n941 = ! lane2_turn0_late3;
  assign n943 = bank_0_word & { n942, n940, n938, n936, n934, n932, n930, n928, n926, n924, n922, n920, n918, n916, n914, n912 };
  assign n945 = lane2_turn0_late3 == 1'h1;
  assign n947 = lane2_turn0_late3 == 1'h1;
  assign n949 = lane2_turn0_late3 == 1'h1;
  assign n951 = lane2_turn0_late3 == 1'h1;
  assign n953 = lane2_turn0_late3 == 1'h1;
  assign n955 = lane2_turn0_late3 == 1'h1;
  assign n957 = lane2_turn0_late3 == 1'h1;
  assign n959 = lane2_turn0_late3 == 1'h1;
  assign n961 = lane2_turn0_late3 == 1'h1;
  assign n963 = lane2_turn0_late3 == 1'h1;
  assign n965 = lane2_turn0_late3 == 1'h1;
  assign n967 = lane2_turn0_late3 == 1'h1;
  assign n969 = lane2_turn0_late3 == 1'h1;
  assign n971 = lane2_turn0_late3 == 1'h1;
  assign n973 = lane2_turn0_late3 == 1'h1;
  assign n975 = lane2_turn0_late3 == 1'h1;
  assign n977 = bank_1_word & { n976, n974, n972, n970, n968, n966, n964, n962, n960, n958, n956, n954, n952, n950, n948, n946 };
  assign n978 = n944 | n977;
  assign n979 = lane2_turn0_late3 == 2'h2;
  assign n981 = lane2_turn0_late3 == 2'h2;
  assign n983 = lane2_turn0_late3 == 2'h2;
  assign n985 = lane2_turn0_late3 == 2'h2;
  assign n987 = lane2_turn0_late3 == 2'h2;
  assign n989 = lane2_turn0_late3 == 2'h2;
  assign n991 = lane2_turn0_late3 == 2'h2;
  assign n993 = lane2_turn0_late3 == 2'h2;
  assign n995 = lane2_turn0_late3 == 2'h2;
  assign n997 = lane2_turn0_late3 == 2'h2;
  assign n999 = lane2_turn0_late3 == 2'h2;
  assign n1001 = lane2_turn0_late3 == 2'h2;
  assign n1003 = lane2_turn0_late3 == 2'h2;
  assign n1005 = lane2_turn0_late3 == 2'h2;
  assign n1007 = lane2_turn0_late3 == 2'h2;
  assign n1009 = lane2_turn0_late3 == 2'h2;
  assign n1011 = bank_2_word & { n1010, n1008, n1006, n1004, n1002, n1000, n998, n996, n994, n992, n990, n988, n986, n984, n982, n980 };
  assign n1012 = n978 | n1011;
  assign n1013 = lane2_turn0_late3 == 2'h3;
  assign n1015 = lane2_turn0_late3 == 2'h3;
  assign n1017 = lane2_turn0_late3 == 2'h3;
  assign n1019 = lane2_turn0_late3 == 2'h3;
  assign n1021 = lane2_turn0_late3 == 2'h3;
  assign n1023 = lane2_turn0_late3 == 2'h3;
  assign n1025 = lane2_turn0_late3 == 2'h3;
  assign n1027 = lane2_turn0_late3 == 2'h3;
  assign n1029 = lane2_turn0_late3 == 2'h3;
  assign n1031 = lane2_turn0_late3 == 2'h3;
  assign n1033 = lane2_turn0_late3 == 2'h3;
  assign n1035 = lane2_turn0_late3 == 2'h3;
  assign n1037 = lane2_turn0_late3 == 2'h3;
  assign n1039 = lane2_turn0_late3 == 2'h3;
  assign n1041 = lane2_turn0_late3 == 2'h3;
  assign n1043 = lane2_turn0_late3 == 2'h3;
  assign n1045 = bank_3_word & { n1044, n1042, n1040, n1038, n1036, n1034, n1032, n1030, n1028, n1026, n1024, n1022, n1020, n1018, n1016, n1014 };
  assign n1046 = n1012 | n1045;
  assign n1047 = fresh_late3 ? n1046 : lane3_word;
  assign n1048 = ! lane3_turn0_late3;
  assign n1050 = ! lane3_turn0_late3;
  assign n1052 = ! lane3_turn0_late3;
  assign n1054 = ! lane3_turn0_late3;
  assign n1056 = ! lane3_turn0_late3;
  assign n1058 = ! lane3_turn0_late3;
  assign n1060 = ! lane3_turn0_late3;
  assign n1062 = ! lane3_turn0_late3;
  assign n1064 = ! lane3_turn0_late3;
  assign n1066 = ! lane3_turn0_late3;
  assign n1068 = ! lane3_turn0_late3;
  assign n1070 = ! lane3_turn0_late3;
  assign n1072 = ! lane3_turn0_late3;
  assign n1074 = ! lane3_turn0_late3;
  assign n1076 = ! lane3_turn0_late3;
  assign n1078 = ! lane3_turn0_late3;
  assign n1080 = bank_0_word & { n1079, n1077, n1075, n1073, n1071, n1069, n1067, n1065, n1063, n1061, n1059, n1057, n1055, n1053, n1051, n1049 };
  assign n1082 = lane3_turn0_late3 == 1'h1;
  assign n1084 = lane3_turn0_late3 == 1'h1;
  assign n1086 = lane3_turn0_late3 == 1'h1;
  assign n1088 = lane3_turn0_late3 == 1'h1;
  assign n1090 = lane3_turn0_late3 == 1'h1;
  assign n1092 = lane3_turn0_late3 == 1'h1;
  assign n1094 = lane3_turn0_late3 == 1'h1;
  assign n1096 = lane3_turn0_late3 == 1'h1;
  assign n1098 = lane3_turn0_late3 == 1'h1;
  assign n1100 = lane3_turn0_late3 == 1'h1;
  assign n1102 = lane3_turn0_late3 == 1'h1;
  assign n1104 = lane3_turn0_late3 == 1'h1;
  assign n1106 = lane3_turn0_late3 == 1'h1;
  assign n1108 = lane3_turn0_late3 == 1'h1;
  assign n1110 = lane3_turn0_late3 == 1'h1;
  assign n1112 = lane3_turn0_late3 == 1'h1;
  assign n1114 = bank_1_word & { n1113, n1111, n1109, n1107, n1105, n1103, n1101, n1099, n1097, n1095, n1093, n1091, n1089, n1087, n1085, n1083 };
  assign n1115 = n1081 | n1114;
  assign n1116 = lane3_turn0_late3 == 2'h2;
  assign n1118 = lane3_turn0_late3 == 2'h2;
  assign n1120 = lane3_turn0_late3 == 2'h2;
  assign n1122 = lane3_turn0_late3 == 2'h2;
  assign n1124 = lane3_turn0_late3 == 2'h2;
  assign n1126 = lane3_turn0_late3 == 2'h2;
  assign n1128 = lane3_turn0_late3 == 2'h2;
  assign n1130 = lane3_turn0_late3 == 2'h2;
  assign n1132 = lane3_turn0_late3 == 2'h2;
  assign n1134 = lane3_turn0_late3 == 2'h2;
  assign n1136 = lane3_turn0_late3 == 2'h2;
  assign n1138 = lane3_turn0_late3 == 2'h2;
  assign n1140 = lane3_turn0_late3 == 2'h2;
  assign n1142 = lane3_turn0_late3 == 2'h2;
  assign n1144 = lane3_turn0_late3 == 2'h2;
  assign n1146 = lane3_turn0_late3 == 2'h2;
  assign n1148 = bank_2_word & { n1147, n1145, n1143, n1141, n1139, n1137, n1135, n1133, n1131, n1129, n1127, n1125, n1123, n1121, n1119, n1117 };
  assign n1149 = n1115 | n1148;
  assign n1150 = lane3_turn0_late3 == 2'h3;
  assign n1152 = lane3_turn0_late3 == 2'h3;
  assign n1154 = lane3_turn0_late3 == 2'h3;
  assign n1156 = lane3_turn0_late3 == 2'h3;
  assign n1158 = lane3_turn0_late3 == 2'h3;
  assign n1160 = lane3_turn0_late3 == 2'h3;
  assign n1162 = lane3_turn0_late3 == 2'h3;
  assign n1164 = lane3_turn0_late3 == 2'h3;
  assign n1166 = lane3_turn0_late3 == 2'h3;
  assign n1168 = lane3_turn0_late3 == 2'h3;
  assign n1170 = lane3_turn0_late3 == 2'h3;
  assign n1172 = lane3_turn0_late3 == 2'h3;
  assign n1174 = lane3_turn0_late3 == 2'h3;
  assign n1176 = lane3_turn0_late3 == 2'h3;
  assign n1178 = lane3_turn0_late3 == 2'h3;
  assign n1180 = lane3_turn0_late3 == 2'h3;
  assign n1182 = bank_3_word & { n1181, n1179, n1177, n1175, n1173, n1171, n1169, n1167, n1165, n1163, n1161, n1159, n1157, n1155, n1153, n1151 };
  assign n1183 = n1149 | n1182;
  assign n1185 = ! w_digit0;
  assign n1186 = n1184 & n1185;
  assign n1188 = w_digit0 == 1'h1;
  assign n1189 = n1187 & n1188;
  assign n1191 = w_digit0 == 2'h2;
  assign n1192 = n1190 & n1191;
  assign n1194 = w_digit0 == 2'h3;
  assign n1195 = n1193 & n1194;
  always @(posedge clk)
    step1 <= n1196;
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
    bank_0_0_0_address <= n152;
  always @(posedge clk)
    bank_0_0_0_asked <= n171;
  always @(posedge clk)
    bank_1_0_0_address <= n307;
  always @(posedge clk)
    bank_1_0_0_asked <= n326;
  always @(posedge clk)
    bank_2_0_0_address <= n462;
  always @(posedge clk)
    bank_2_0_0_asked <= n481;
  always @(posedge clk)
    bank_3_0_0_address <= n617;
  always @(posedge clk)
    bank_3_0_0_asked <= n636;
  always @(posedge clk)
    lane0_word <= n1197;
  always @(posedge clk)
    lane1_word <= n1198;
  always @(posedge clk)
    lane2_word <= n1199;
  always @(posedge clk)
    lane3_word <= n1200;
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
    .write_enable(n1186)
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
    .write_enable(n1189)
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
    .write_enable(n1192)
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
    .write_enable(n1195)
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
  always @(*) begin
    n1196 = r_step;
    if (rst) begin
      n1196 = 1'h0;
    end
  end
  always @(*) begin
    n1197 = lane0_word;
    if (arrived_late3) begin
      n1197 = n773;
    end
  end
  always @(*) begin
    n1198 = lane1_word;
    if (arrived_late3) begin
      n1198 = n910;
    end
  end
  always @(*) begin
    n1199 = lane2_word;
    if (arrived_late3) begin
      n1199 = n1047;
    end
  end
  always @(*) begin
    n1200 = lane3_word;
    if (arrived_late3) begin
      n1200 = n1183;
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
  assign n23 = n22;
  assign n27 = n26;
  assign n31 = n30;
  assign n35 = n34;
  assign n39 = n38;
  assign n43 = n42;
  assign n47 = n46;
  assign n50 = n49;
  assign n53 = n52;
  assign n57 = n56;
  assign n61 = n60;
  assign n65 = n64;
  assign n69 = n68;
  assign n73 = n72;
  assign n77 = n76;
  assign n81 = n80;
  assign n87 = n86;
  assign n91 = n90;
  assign n95 = n94;
  assign n99 = n98;
  assign n103 = n102;
  assign n107 = n106;
  assign n111 = n110;
  assign n115 = n114;
  assign n119 = step1;
  assign n121 = n120;
  assign n123 = step1;
  assign n125 = n124;
  assign n127 = step1;
  assign n129 = n128;
  assign n131 = step1;
  assign n133 = n132;
  assign n135 = step1;
  assign n137 = n136;
  assign n139 = step1;
  assign n141 = n140;
  assign n143 = step1;
  assign n145 = n144;
  assign n147 = step1;
  assign n149 = n148;
  assign n155 = n154;
  assign n159 = n158;
  assign n164 = n163;
  assign n167 = step1;
  assign n169 = n168;
  assign n174 = n173;
  assign n178 = n177;
  assign n182 = n181;
  assign n186 = n185;
  assign n190 = n189;
  assign n194 = n193;
  assign n198 = n197;
  assign n202 = n201;
  assign n205 = n204;
  assign n208 = n207;
  assign n212 = n211;
  assign n216 = n215;
  assign n220 = n219;
  assign n224 = n223;
  assign n228 = n227;
  assign n232 = n231;
  assign n236 = n235;
  assign n242 = n241;
  assign n246 = n245;
  assign n250 = n249;
  assign n254 = n253;
  assign n258 = n257;
  assign n262 = n261;
  assign n266 = n265;
  assign n270 = n269;
  assign n274 = step1;
  assign n276 = n275;
  assign n278 = step1;
  assign n280 = n279;
  assign n282 = step1;
  assign n284 = n283;
  assign n286 = step1;
  assign n288 = n287;
  assign n290 = step1;
  assign n292 = n291;
  assign n294 = step1;
  assign n296 = n295;
  assign n298 = step1;
  assign n300 = n299;
  assign n302 = step1;
  assign n304 = n303;
  assign n310 = n309;
  assign n314 = n313;
  assign n319 = n318;
  assign n322 = step1;
  assign n324 = n323;
  assign n329 = n328;
  assign n333 = n332;
  assign n337 = n336;
  assign n341 = n340;
  assign n345 = n344;
  assign n349 = n348;
  assign n353 = n352;
  assign n357 = n356;
  assign n360 = n359;
  assign n363 = n362;
  assign n367 = n366;
  assign n371 = n370;
  assign n375 = n374;
  assign n379 = n378;
  assign n383 = n382;
  assign n387 = n386;
  assign n391 = n390;
  assign n397 = n396;
  assign n401 = n400;
  assign n405 = n404;
  assign n409 = n408;
  assign n413 = n412;
  assign n417 = n416;
  assign n421 = n420;
  assign n425 = n424;
  assign n429 = step1;
  assign n431 = n430;
  assign n433 = step1;
  assign n435 = n434;
  assign n437 = step1;
  assign n439 = n438;
  assign n441 = step1;
  assign n443 = n442;
  assign n445 = step1;
  assign n447 = n446;
  assign n449 = step1;
  assign n451 = n450;
  assign n453 = step1;
  assign n455 = n454;
  assign n457 = step1;
  assign n459 = n458;
  assign n465 = n464;
  assign n469 = n468;
  assign n474 = n473;
  assign n477 = step1;
  assign n479 = n478;
  assign n484 = n483;
  assign n488 = n487;
  assign n492 = n491;
  assign n496 = n495;
  assign n500 = n499;
  assign n504 = n503;
  assign n508 = n507;
  assign n512 = n511;
  assign n515 = n514;
  assign n518 = n517;
  assign n522 = n521;
  assign n526 = n525;
  assign n530 = n529;
  assign n534 = n533;
  assign n538 = n537;
  assign n542 = n541;
  assign n546 = n545;
  assign n552 = n551;
  assign n556 = n555;
  assign n560 = n559;
  assign n564 = n563;
  assign n568 = n567;
  assign n572 = n571;
  assign n576 = n575;
  assign n580 = n579;
  assign n584 = step1;
  assign n586 = n585;
  assign n588 = step1;
  assign n590 = n589;
  assign n592 = step1;
  assign n594 = n593;
  assign n596 = step1;
  assign n598 = n597;
  assign n600 = step1;
  assign n602 = n601;
  assign n604 = step1;
  assign n606 = n605;
  assign n608 = step1;
  assign n610 = n609;
  assign n612 = step1;
  assign n614 = n613;
  assign n620 = n619;
  assign n624 = n623;
  assign n629 = n628;
  assign n632 = step1;
  assign n634 = n633;
  assign n638 = n637;
  assign n640 = n639;
  assign n642 = n641;
  assign n644 = n643;
  assign n646 = n645;
  assign n648 = n647;
  assign n650 = n649;
  assign n652 = n651;
  assign n654 = n653;
  assign n656 = n655;
  assign n658 = n657;
  assign n660 = n659;
  assign n662 = n661;
  assign n664 = n663;
  assign n666 = n665;
  assign n668 = n667;
  assign n670 = n669;
  assign n672 = n671;
  assign n674 = n673;
  assign n676 = n675;
  assign n678 = n677;
  assign n680 = n679;
  assign n682 = n681;
  assign n684 = n683;
  assign n686 = n685;
  assign n688 = n687;
  assign n690 = n689;
  assign n692 = n691;
  assign n694 = n693;
  assign n696 = n695;
  assign n698 = n697;
  assign n700 = n699;
  assign n702 = n701;
  assign n706 = n705;
  assign n708 = n707;
  assign n710 = n709;
  assign n712 = n711;
  assign n714 = n713;
  assign n716 = n715;
  assign n718 = n717;
  assign n720 = n719;
  assign n722 = n721;
  assign n724 = n723;
  assign n726 = n725;
  assign n728 = n727;
  assign n730 = n729;
  assign n732 = n731;
  assign n734 = n733;
  assign n736 = n735;
  assign n740 = n739;
  assign n742 = n741;
  assign n744 = n743;
  assign n746 = n745;
  assign n748 = n747;
  assign n750 = n749;
  assign n752 = n751;
  assign n754 = n753;
  assign n756 = n755;
  assign n758 = n757;
  assign n760 = n759;
  assign n762 = n761;
  assign n764 = n763;
  assign n766 = n765;
  assign n768 = n767;
  assign n770 = n769;
  assign n775 = n774;
  assign n777 = n776;
  assign n779 = n778;
  assign n781 = n780;
  assign n783 = n782;
  assign n785 = n784;
  assign n787 = n786;
  assign n789 = n788;
  assign n791 = n790;
  assign n793 = n792;
  assign n795 = n794;
  assign n797 = n796;
  assign n799 = n798;
  assign n801 = n800;
  assign n803 = n802;
  assign n805 = n804;
  assign n807 = n806;
  assign n809 = n808;
  assign n811 = n810;
  assign n813 = n812;
  assign n815 = n814;
  assign n817 = n816;
  assign n819 = n818;
  assign n821 = n820;
  assign n823 = n822;
  assign n825 = n824;
  assign n827 = n826;
  assign n829 = n828;
  assign n831 = n830;
  assign n833 = n832;
  assign n835 = n834;
  assign n837 = n836;
  assign n839 = n838;
  assign n843 = n842;
  assign n845 = n844;
  assign n847 = n846;
  assign n849 = n848;
  assign n851 = n850;
  assign n853 = n852;
  assign n855 = n854;
  assign n857 = n856;
  assign n859 = n858;
  assign n861 = n860;
  assign n863 = n862;
  assign n865 = n864;
  assign n867 = n866;
  assign n869 = n868;
  assign n871 = n870;
  assign n873 = n872;
  assign n877 = n876;
  assign n879 = n878;
  assign n881 = n880;
  assign n883 = n882;
  assign n885 = n884;
  assign n887 = n886;
  assign n889 = n888;
  assign n891 = n890;
  assign n893 = n892;
  assign n895 = n894;
  assign n897 = n896;
  assign n899 = n898;
  assign n901 = n900;
  assign n903 = n902;
  assign n905 = n904;
  assign n907 = n906;
  assign n912 = n911;
  assign n914 = n913;
  assign n916 = n915;
  assign n918 = n917;
  assign n920 = n919;
  assign n922 = n921;
  assign n924 = n923;
  assign n926 = n925;
  assign n928 = n927;
  assign n930 = n929;
  assign n932 = n931;
  assign n934 = n933;
  assign n936 = n935;
  assign n938 = n937;
  assign n940 = n939;
  assign n942 = n941;
  assign n944 = n943;
  assign n946 = n945;
  assign n948 = n947;
  assign n950 = n949;
  assign n952 = n951;
  assign n954 = n953;
  assign n956 = n955;
  assign n958 = n957;
  assign n960 = n959;
  assign n962 = n961;
  assign n964 = n963;
  assign n966 = n965;
  assign n968 = n967;
  assign n970 = n969;
  assign n972 = n971;
  assign n974 = n973;
  assign n976 = n975;
  assign n980 = n979;
  assign n982 = n981;
  assign n984 = n983;
  assign n986 = n985;
  assign n988 = n987;
  assign n990 = n989;
  assign n992 = n991;
  assign n994 = n993;
  assign n996 = n995;
  assign n998 = n997;
  assign n1000 = n999;
  assign n1002 = n1001;
  assign n1004 = n1003;
  assign n1006 = n1005;
  assign n1008 = n1007;
  assign n1010 = n1009;
  assign n1014 = n1013;
  assign n1016 = n1015;
  assign n1018 = n1017;
  assign n1020 = n1019;
  assign n1022 = n1021;
  assign n1024 = n1023;
  assign n1026 = n1025;
  assign n1028 = n1027;
  assign n1030 = n1029;
  assign n1032 = n1031;
  assign n1034 = n1033;
  assign n1036 = n1035;
  assign n1038 = n1037;
  assign n1040 = n1039;
  assign n1042 = n1041;
  assign n1044 = n1043;
  assign n1049 = n1048;
  assign n1051 = n1050;
  assign n1053 = n1052;
  assign n1055 = n1054;
  assign n1057 = n1056;
  assign n1059 = n1058;
  assign n1061 = n1060;
  assign n1063 = n1062;
  assign n1065 = n1064;
  assign n1067 = n1066;
  assign n1069 = n1068;
  assign n1071 = n1070;
  assign n1073 = n1072;
  assign n1075 = n1074;
  assign n1077 = n1076;
  assign n1079 = n1078;
  assign n1081 = n1080;
  assign n1083 = n1082;
  assign n1085 = n1084;
  assign n1087 = n1086;
  assign n1089 = n1088;
  assign n1091 = n1090;
  assign n1093 = n1092;
  assign n1095 = n1094;
  assign n1097 = n1096;
  assign n1099 = n1098;
  assign n1101 = n1100;
  assign n1103 = n1102;
  assign n1105 = n1104;
  assign n1107 = n1106;
  assign n1109 = n1108;
  assign n1111 = n1110;
  assign n1113 = n1112;
  assign n1117 = n1116;
  assign n1119 = n1118;
  assign n1121 = n1120;
  assign n1123 = n1122;
  assign n1125 = n1124;
  assign n1127 = n1126;
  assign n1129 = n1128;
  assign n1131 = n1130;
  assign n1133 = n1132;
  assign n1135 = n1134;
  assign n1137 = n1136;
  assign n1139 = n1138;
  assign n1141 = n1140;
  assign n1143 = n1142;
  assign n1145 = n1144;
  assign n1147 = n1146;
  assign n1151 = n1150;
  assign n1153 = n1152;
  assign n1155 = n1154;
  assign n1157 = n1156;
  assign n1159 = n1158;
  assign n1161 = n1160;
  assign n1163 = n1162;
  assign n1165 = n1164;
  assign n1167 = n1166;
  assign n1169 = n1168;
  assign n1171 = n1170;
  assign n1173 = n1172;
  assign n1175 = n1174;
  assign n1177 = n1176;
  assign n1179 = n1178;
  assign n1181 = n1180;
  assign n1184 = w_valid;
  assign n1187 = w_valid;
  assign n1190 = w_valid;
  assign n1193 = w_valid;
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
  reg [1:0] n23;
  reg [1:0] n24;
  reg [1:0] n25;
  reg [6:0] n26;
  reg [6:0] n27;
  wire n3;
  wire n4;
  wire [2:0] n5;
  wire [2:0] n6;
  wire n7;
  wire n8;
  wire n9;
  input clk;
  wire clk;
  input commit;
  wire commit;
  output free;
  wire free;
  reg [1:0] free_parts = 2'h2;
  output full;
  wire full;
  reg [1:0] full_parts = 2'h0;
  output granted;
  wire granted;
  reg [1:0] granted_parts = 2'h0;
  output [6:0] read_base;
  reg [6:0] read_base = 7'h00;
  input reserve;
  wire reserve;
  input retire;
  wire retire;
  input rst;
  wire rst;
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
  always @(posedge clk)
    free_parts <= n23;
  always @(posedge clk)
    granted_parts <= n24;
  always @(posedge clk)
    full_parts <= n25;
  always @(posedge clk)
    write_base <= n26;
  always @(posedge clk)
    read_base <= n27;
  always @(*) begin
    n23 = free_parts;
    if (n2) begin
      n23 = n5[1:0];
    end else if (n4) begin
      n23 = n6[1:0];
    end
    if (rst) begin
      n23 = 2'h2;
    end
  end
  always @(*) begin
    n24 = granted_parts;
    if (n8) begin
      n24 = n11[1:0];
    end else if (n10) begin
      n24 = n12[1:0];
    end
    if (rst) begin
      n24 = 2'h0;
    end
  end
  always @(*) begin
    n25 = full_parts;
    if (n14) begin
      n25 = n17[1:0];
    end else if (n16) begin
      n25 = n18[1:0];
    end
    if (rst) begin
      n25 = 2'h0;
    end
  end
  always @(*) begin
    n26 = write_base;
    if (commit) begin
      if (n19) begin
        n26 = 7'h00;
      end else begin
        n26 = n20[6:0];
      end
    end
    if (rst) begin
      n26 = 7'h00;
    end
  end
  always @(*) begin
    n27 = read_base;
    if (retire) begin
      if (n21) begin
        n27 = 7'h00;
      end else begin
        n27 = n22[6:0];
      end
    end
    if (rst) begin
      n27 = 7'h00;
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
