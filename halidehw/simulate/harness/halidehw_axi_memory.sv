// The memory behind an AXI4 master: beats of BITS bits from the address ORIGIN on, and what AXI asks of a master.
//
// Read:  of a burst whose address is accepted in cycle c, the first beat is offered in cycle c + latency or later, with
//        what was in memory in cycle c. Bursts of one identifier are answered in their order; with random stalls, beats
//        of different ones in any.
// Write: a burst's response is offered `latency` cycles after its address and all of its data, and only then are its
//        words in memory.
// Rate:  each direction moves at most rate_words / rate_cycles beats a cycle on average; a burst may run into debt,
//        which a start (`clear`) does not inherit.
// Hold:  in turn 0, 1 and 2 it accepts no address of a read, no address of a write, no data.
// Stall: each valid/ready pair is held back in a random fraction of the cycles; a valid once raised stays.
// `fresh` begins the run that is asked for: the random numbers start anew, inputs are read from the file
// NAME.asked.hex. The beats OUT_LOW .. OUT_HIGH hold outputs: `clear` overwrites them with a pattern, `dump` writes them
// to the file NAME.pass.written.hex. `refuse`: the direction whose bursts are answered with an error, if any: 1 reads, 2 writes.
module halidehw_axi_memory #(
    parameter NAME = "memory",
    parameter int BITS = 128,
    parameter int ID_BITS = 1,
    parameter longint ORIGIN = 0,
    parameter int BEATS = 1,
    parameter int OUT_LOW = 0,
    parameter int OUT_HIGH = 0
) (
    input  logic                clk,
    input  logic                rst,
    input  int                  latency,
    input  int                  rate_words,
    input  int                  rate_cycles,
    input  int                  stall,
    input  int                  stall_seed,
    input  int                  asked,
    input  int                  pass,
    input  logic                fresh,
    input  logic                clear,
    input  logic                dump,
    input  int                  turn,
    input  int                  refuse,

    input  logic [ID_BITS-1:0]  ARID, AWID,
    input  logic [63:0]         ARADDR, AWADDR,
    input  logic [7:0]          ARLEN, AWLEN,
    input  logic [2:0]          ARSIZE, AWSIZE,
    input  logic [1:0]          ARBURST, AWBURST,
    input  logic                ARVALID, AWVALID,
    output logic                ARREADY, AWREADY,
    output logic [ID_BITS-1:0]  RID,
    output logic [BITS-1:0]     RDATA,
    output logic [1:0]          RRESP,
    output logic                RLAST, RVALID,
    input  logic                RREADY,
    input  logic [BITS-1:0]     WDATA,
    input  logic [BITS/8-1:0]   WSTRB,
    input  logic                WLAST, WVALID,
    output logic                WREADY,
    output logic [ID_BITS-1:0]  BID,
    output logic [1:0]          BRESP,
    output logic                BVALID,
    input  logic                BREADY,

    output logic                owed,     // an address, data or a response is still waiting
    output int                  failure,  // 0, or the kind of the first violation of the protocol
    output longint              failure_address
);
    localparam int READ_OUTSIDE = 1, WRITE_OUTSIDE = 2, READ_UNSTABLE = 3, WRITE_UNSTABLE = 4, READ_UNKNOWN = 5,
        WRITE_UNKNOWN = 6, READ_SHAPE = 7, WRITE_SHAPE = 8, WRITE_LAST = 9;
    localparam int BYTES = BITS / 8, IDS = 1 << ID_BITS, DEPTH = 4096, BURSTS = 256;
    localparam logic [63:0] PATTERN = 64'hAAAA_AAAA_AAAA_AAAA;

    logic [BITS-1:0] beats [0:BEATS-1];
    logic [31:0] random;
    int now = 0;

    initial begin
        failure = 0;
        failure_address = 0;
    end

    function automatic void fail(input int kind, input longint address);
        if (failure == 0) begin
            failure = kind;
            failure_address = address;
        end
    endfunction

    function automatic int place(input logic [63:0] address);
        return int'((longint'(address) - ORIGIN) / BYTES);
    endfunction

    // A burst of whole, aligned beats at following addresses, inside the memory and of one page.
    function automatic logic legal(
        input logic [63:0] address, input logic [7:0] length, input logic [2:0] size, input logic [1:0] burst
    );
        return (1 << size) == BYTES && burst == 2'b01 && address % BYTES == 0
            && longint'(address[11:0]) + (longint'(length) + 1) * BYTES <= 4096;
    endfunction

    function automatic logic inside_memory(input logic [63:0] address, input logic [7:0] length);
        return longint'(address) >= ORIGIN && place(address) + int'(length) < BEATS;
    endfunction

    // Reads: a queue of beats for each identifier.
    logic [BITS-1:0] queue [0:IDS*DEPTH-1];
    logic last [0:IDS*DEPTH-1];
    int due [0:IDS*DEPTH-1], order [0:IDS*DEPTH-1];
    int head [0:IDS-1], tail [0:IDS-1], count [0:IDS-1];
    int reads = 0, bursts_read = 0, read_debt = 0, chosen;
    logic ar_held = 0;
    logic [ID_BITS+64+8-1:0] ar_offered;
    initial {ARREADY, RVALID, RDATA, RID, RLAST, RRESP} = '0;

    task automatic read_step();
        int at;
        if ((^ARVALID) === 1'bx || (ARVALID && (^{ARID, ARADDR, ARLEN}) === 1'bx)) fail(READ_UNKNOWN, 0);
        if (ar_held && (!ARVALID || {ARID, ARADDR, ARLEN} != ar_offered)) fail(READ_UNSTABLE, longint'(ARADDR));
        ar_held = ARVALID && !ARREADY;
        if (ar_held) ar_offered = {ARID, ARADDR, ARLEN};
        if (RVALID && RREADY) begin
            tail[RID] = (tail[RID] + 1) % DEPTH;
            count[RID] = count[RID] - 1;
            reads = reads - 1;
        end
        if (ARVALID && ARREADY) begin
            if (!legal(ARADDR, ARLEN, ARSIZE, ARBURST)) fail(READ_SHAPE, longint'(ARADDR));
            if (!inside_memory(ARADDR, ARLEN)) fail(READ_OUTSIDE, longint'(ARADDR));
            else for (int i = 0; i <= int'(ARLEN); i++) begin
                at = int'(ARID) * DEPTH + head[ARID];
                queue[at] = beats[place(ARADDR) + i];
                last[at] = i == int'(ARLEN);
                due[at] = now + latency - 1;
                order[at] = bursts_read;
                head[ARID] = (head[ARID] + 1) % DEPTH;
                count[ARID] = count[ARID] + 1;
                reads = reads + 1;
            end
            bursts_read = bursts_read + 1;
            if (rate_words != 0) read_debt = read_debt + rate_cycles * (int'(ARLEN) + 1);
        end
        if (rate_words != 0) read_debt = (read_debt > rate_words) ? read_debt - rate_words : 0;
    endtask

    // The identifier whose beat is next: that of the oldest burst, with stalls any; -1 for none.
    function automatic int next_read();
        int id, at;
        next_read = -1;
        for (int i = 0; i < IDS; i++) begin
            id = (i + (stall != 0 ? int'(random[9:2]) : 0)) % IDS;
            at = id * DEPTH + tail[id];
            if (count[id] != 0 && due[at] <= now
                && (next_read < 0 || (stall == 0 && order[at] < order[next_read * DEPTH + tail[next_read]])))
                next_read = id;
        end
    endfunction

    // Writes: queues of addresses, of data, and of responses. A burst is complete when it has both.
    logic [BITS-1:0] data [0:DEPTH-1];
    logic [BYTES-1:0] strobes [0:DEPTH-1];
    logic ends [0:DEPTH-1];
    int aw_place [0:BURSTS-1], aw_beats [0:BURSTS-1], aw_due [0:BURSTS-1];
    logic [ID_BITS-1:0] aw_id [0:BURSTS-1];
    int w_head = 0, w_tail = 0, w_new = 0, w_count = 0;
    int aw_head = 0, aw_tail = 0, aw_whole = 0, bursts = 0, complete = 0, write_debt = 0;
    logic aw_held = 0, w_held = 0;
    logic [ID_BITS+64+8-1:0] aw_offered;
    logic [BITS+BYTES:0] w_offered;
    initial {AWREADY, WREADY, BVALID, BID, BRESP} = '0;

    task automatic write_step();
        if ((^{AWVALID, WVALID}) === 1'bx || (AWVALID && (^{AWID, AWADDR, AWLEN}) === 1'bx)
            || (WVALID && (^{WSTRB, WLAST}) === 1'bx)) fail(WRITE_UNKNOWN, 0);
        if (aw_held && (!AWVALID || {AWID, AWADDR, AWLEN} != aw_offered)) fail(WRITE_UNSTABLE, longint'(AWADDR));
        if (w_held && (!WVALID || {WDATA, WSTRB, WLAST} != w_offered)) fail(WRITE_UNSTABLE, 0);
        aw_held = AWVALID && !AWREADY;
        w_held = WVALID && !WREADY;
        if (aw_held) aw_offered = {AWID, AWADDR, AWLEN};
        if (w_held) w_offered = {WDATA, WSTRB, WLAST};
        if (BVALID && BREADY) bursts = bursts - 1;
        if (AWVALID && AWREADY) begin
            if (!legal(AWADDR, AWLEN, AWSIZE, AWBURST)) fail(WRITE_SHAPE, longint'(AWADDR));
            if (!inside_memory(AWADDR, AWLEN)) fail(WRITE_OUTSIDE, longint'(AWADDR));
            aw_place[aw_head] = place(AWADDR);
            aw_beats[aw_head] = int'(AWLEN) + 1;
            aw_id[aw_head] = AWID;
            aw_head = (aw_head + 1) % BURSTS;
            bursts = bursts + 1;
        end
        if (WVALID && WREADY) begin
            data[w_head] = WDATA;
            strobes[w_head] = WSTRB;
            ends[w_head] = WLAST;
            w_head = (w_head + 1) % DEPTH;
            w_new = w_new + 1;
            w_count = w_count + 1;
            if (rate_words != 0) write_debt = write_debt + rate_cycles;
        end
        if (aw_whole != aw_head && w_new >= aw_beats[aw_whole]) begin
            for (int i = 0; i < aw_beats[aw_whole]; i++)
                if (ends[(w_head + DEPTH - w_new + i) % DEPTH] != (i + 1 == aw_beats[aw_whole]))
                    fail(WRITE_LAST, ORIGIN + longint'(aw_place[aw_whole]) * BYTES);
            w_new = w_new - aw_beats[aw_whole];
            aw_due[aw_whole] = now + latency - 1;
            aw_whole = (aw_whole + 1) % BURSTS;
            complete = complete + 1;
        end
        if (rate_words != 0) write_debt = (write_debt > rate_words) ? write_debt - rate_words : 0;
    endtask

    // The oldest complete burst: its words are stored as its response is offered.
    task automatic store();
        int at;
        for (int i = 0; i < aw_beats[aw_tail]; i++) begin
            at = aw_place[aw_tail] + i;
            for (int j = 0; j < BYTES; j++) if (strobes[w_tail][j]) begin
                if (at < OUT_LOW || at > OUT_HIGH) fail(WRITE_OUTSIDE, ORIGIN + longint'(at) * BYTES + longint'(j));
                else beats[at][8*j +: 8] = data[w_tail][8*j +: 8];
            end
            w_tail = (w_tail + 1) % DEPTH;
            w_count = w_count - 1;
        end
        aw_tail = (aw_tail + 1) % BURSTS;
        complete = complete - 1;
    endtask

    assign owed = reads != 0 || bursts != 0 || w_count != 0 || ar_held || aw_held || w_held;

    always @(posedge clk) begin
        now = now + 1;
        if (fresh) begin
            random = (32'(stall_seed) * 32'd2654435761) ^ 32'd2246822519 | 32'd1;
            $readmemh($sformatf("%s.%0d.hex", NAME, asked), beats);
        end else if (stall != 0) begin
            random = random ^ (random << 13);
            random = random ^ (random >> 17);
            random = random ^ (random << 5);
        end
        if (dump) $writememh($sformatf("%s.%0d.written.hex", NAME, pass), beats, OUT_LOW, OUT_HIGH);
        if (clear) begin
            for (int i = OUT_LOW; i <= OUT_HIGH; i++) beats[i] = {(BITS + 63) / 64{pass[0] ? ~PATTERN : PATTERN}};
            {read_debt, write_debt} = '0;
        end
        if (rst) begin
            for (int i = 0; i < IDS; i++) {head[i], tail[i], count[i]} = '0;
            {reads, read_debt, write_debt, w_head, w_tail, w_new, w_count} = '0;
            {aw_head, aw_tail, aw_whole, bursts, complete, ar_held, aw_held, w_held} = '0;
            {ARREADY, AWREADY, WREADY, RVALID, BVALID} <= '0;
        end else begin
            read_step();
            write_step();
            if (!RVALID || RREADY) begin
                chosen = int'(random[15:0]) >= stall ? next_read() : -1;
                RVALID <= chosen >= 0;
                if (chosen >= 0) begin
                    RID <= ID_BITS'(chosen);
                    RDATA <= queue[chosen * DEPTH + tail[chosen]];
                    RLAST <= last[chosen * DEPTH + tail[chosen]];
                    RRESP <= refuse == 1 ? 2'b10 : 2'b00;
                end
            end
            if (!BVALID || BREADY) begin
                BVALID <= 0;
                if (complete != 0 && aw_due[aw_tail] <= now && int'(random[19:4]) >= stall) begin
                    BVALID <= 1;
                    BID <= aw_id[aw_tail];
                    BRESP <= refuse == 2 ? 2'b11 : 2'b00;
                    store();
                end
            end
            ARREADY <= reads <= DEPTH - 512 && (rate_words == 0 || read_debt < rate_words) && turn != 0
                && (int'(random[31:16]) >= stall);
            AWREADY <= bursts < BURSTS - 2 && turn != 1 && (int'(random[23:8]) >= stall);
            WREADY <= w_count < DEPTH - 2 && (rate_words == 0 || write_debt < rate_words) && turn != 2
                && (int'(random[27:12]) >= stall);
        end
    end
endmodule
