module halidehw_bench (input logic clk /* verilator public_flat_rw */, output logic busy);
    logic rst, start, abort, idle, done, fresh, clear, dump, owed, failed, moving, halting;
    int asked /* verilator public_flat_rw */ = 0, starts /* verilator public_flat_rw */ = 0, cuts /* verilator public_flat_rw */ = 0, softly /* verilator public_flat_rw */ = 0, onward /* verilator public_flat_rw */ = 0, held_first /* verilator public_flat_rw */ = 0, latency /* verilator public_flat_rw */ = 0, rate_words /* verilator public_flat_rw */ = 0, rate_cycles /* verilator public_flat_rw */ = 0, stall /* verilator public_flat_rw */ = 0, stall_seed /* verilator public_flat_rw */ = 0;
    longint cut_at /* verilator public_flat_rw */ = 0, stop_at /* verilator public_flat_rw */ = 0, hold /* verilator public_flat_rw */ = 0, timeout /* verilator public_flat_rw */ = 0, patience /* verilator public_flat_rw */ = 0;
    int pass, turn;
    int answered /* verilator public_flat_rd */;
    longint cycles /* verilator public_flat_rd */, cut_cycle /* verilator public_flat_rd */;
    int outcome /* verilator public_flat_rd */;
    int failure /* verilator public_flat_rd */ = 0, failure_memory /* verilator public_flat_rd */ = 0;
    longint failure_address /* verilator public_flat_rd */ = 0;
    logic [11:0] status /* verilator public_flat_rd */ = 0;
    logic [31:0] count_cycles /* verilator public_flat_rd */;
    logic [0:0] port_a_req_valid;
    logic [0:0] port_a_req_ready;
    logic [7:0] port_a_req_addr;
    logic [3:0] port_a_req_mask;
    logic [0:0] port_a_resp_valid;
    logic [0:0] port_a_resp_ready;
    logic [63:0] port_a_resp_data;
    logic [0:0] port_y_read_req_valid;
    logic [0:0] port_y_read_req_ready;
    logic [7:0] port_y_read_req_addr;
    logic [3:0] port_y_read_req_mask;
    logic [0:0] port_y_read_resp_valid;
    logic [0:0] port_y_read_resp_ready;
    logic [63:0] port_y_read_resp_data;
    logic [0:0] port_y_valid;
    logic [0:0] port_y_ready;
    logic [7:0] port_y_addr;
    logic [3:0] port_y_mask;
    logic [63:0] port_y_data;
    logic owed_0;
    int failure_0;
    longint failure_address_0;
    logic owed_1;
    int failure_1;
    longint failure_address_1;
    halidehw_control #(.SOON(16)) control (.*);
    add accelerator (
        .clk(clk),
        .rst(rst),
        .start(start),
        .abort(abort),
        .done(done),
        .idle(idle),
        .a_req_valid(port_a_req_valid),
        .a_req_ready(port_a_req_ready),
        .a_req_addr(port_a_req_addr),
        .a_req_mask(port_a_req_mask),
        .a_resp_valid(port_a_resp_valid),
        .a_resp_ready(port_a_resp_ready),
        .a_resp_data(port_a_resp_data),
        .y_read_req_valid(port_y_read_req_valid),
        .y_read_req_ready(port_y_read_req_ready),
        .y_read_req_addr(port_y_read_req_addr),
        .y_read_req_mask(port_y_read_req_mask),
        .y_read_resp_valid(port_y_read_resp_valid),
        .y_read_resp_ready(port_y_read_resp_ready),
        .y_read_resp_data(port_y_read_resp_data),
        .y_valid(port_y_valid),
        .y_ready(port_y_ready),
        .y_addr(port_y_addr),
        .y_mask(port_y_mask),
        .y_data(port_y_data),
        .cycles(count_cycles)
    );
    halidehw_memory #(
        .NAME("0/a"),
        .BITS(16),
        .WORDS(101),
        .ADDRESS_BITS(8),
        .READ_LANES(4),
        .WRITE_LANES(1),
        .OUTPUT(0),
        .INDEX(0)
    ) memory_0 (
        .clk(clk),
        .rst(rst),
        .latency(latency),
        .rate_words(rate_words),
        .rate_cycles(rate_cycles),
        .stall(stall),
        .stall_seed(stall_seed),
        .asked(asked),
        .pass(pass),
        .fresh(fresh),
        .clear(clear),
        .dump(dump),
        .turn(turn),
        .owed(owed_0),
        .failure(failure_0),
        .failure_address(failure_address_0),
        .req_valid(port_a_req_valid),
        .req_ready(port_a_req_ready),
        .req_addr(port_a_req_addr),
        .req_mask(port_a_req_mask),
        .resp_valid(port_a_resp_valid),
        .resp_ready(port_a_resp_ready),
        .resp_data(port_a_resp_data),
        .read_base('0),
        .valid('0),
        .addr('0),
        .data('0),
        .mask('0),
        .write_base('0)
    );
    halidehw_memory #(
        .NAME("0/y"),
        .BITS(16),
        .WORDS(101),
        .ADDRESS_BITS(8),
        .READ_LANES(4),
        .WRITE_LANES(4),
        .OUTPUT(1),
        .INDEX(1)
    ) memory_1 (
        .clk(clk),
        .rst(rst),
        .latency(latency),
        .rate_words(rate_words),
        .rate_cycles(rate_cycles),
        .stall(stall),
        .stall_seed(stall_seed),
        .asked(asked),
        .pass(pass),
        .fresh(fresh),
        .clear(clear),
        .dump(dump),
        .turn(turn),
        .owed(owed_1),
        .failure(failure_1),
        .failure_address(failure_address_1),
        .req_valid(port_y_read_req_valid),
        .req_ready(port_y_read_req_ready),
        .req_addr(port_y_read_req_addr),
        .req_mask(port_y_read_req_mask),
        .resp_valid(port_y_read_resp_valid),
        .resp_ready(port_y_read_resp_ready),
        .resp_data(port_y_read_resp_data),
        .read_base('0),
        .valid(port_y_valid),
        .ready(port_y_ready),
        .addr(port_y_addr),
        .mask(port_y_mask),
        .data(port_y_data),
        .write_base('0)
    );
    assign busy = asked != answered;
    assign owed = owed_0 | owed_1;
    assign failed = (failure_0 | failure_1) != 0;
    assign moving = port_a_req_valid & port_a_req_ready | port_a_resp_valid & port_a_resp_ready | port_y_read_req_valid & port_y_read_req_ready | port_y_read_resp_valid & port_y_read_resp_ready | port_y_valid & port_y_ready | 1'b0 & 1'b0;
    always @(posedge clk) if (halting) begin
        status = {port_y_valid, port_y_ready, 1'b0, 1'b0, port_y_read_req_valid, port_y_read_req_ready, port_y_read_resp_valid, port_y_read_resp_ready, port_a_req_valid, port_a_req_ready, port_a_resp_valid, port_a_resp_ready};
        if (failure == 0 && failure_0 != 0) begin failure = failure_0; failure_memory = 0; failure_address = failure_address_0; end
        if (failure == 0 && failure_1 != 0) begin failure = failure_1; failure_memory = 1; failure_address = failure_address_1; end
    end
endmodule
