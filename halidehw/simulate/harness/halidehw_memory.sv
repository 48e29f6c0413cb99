// The memory of one tensor: a read side, a write side, or both on the same words.
//
// Read:  a request accepted in cycle c is answered in cycle c + latency or later, in order; at most latency + 1
//        answers are outstanding. The words are those stored before cycle c. Lanes that are masked off, and words
//        of an output that were never written, deliver a pattern of alternating ones and zeros.
// Write: words accepted in cycle c are stored at its end.
// Rate:  a side moves at most rate_words / rate_cycles words a cycle on average; a request may run into debt, which a
//        start (`clear`) does not inherit.
// Hold:  while it is its `turn` it accepts nothing.
// Stall: each valid/ready pair is held back in a random fraction of the cycles; a valid once raised stays.
// `fresh` begins the run that is asked for: the random numbers start anew, an input is read from the file
// NAME.asked.hex. An output is overwritten with the pattern by `clear` and written to the file
// NAME.pass.hex by `dump`.
module halidehw_memory #(
    parameter NAME = "tensor",
    parameter int BITS = 16,
    parameter int WORDS = 1,
    parameter int ADDRESS_BITS = 1,
    parameter int READ_LANES = 1,
    parameter int WRITE_LANES = 1,
    parameter bit OUTPUT = 0,
    parameter int INDEX = 0
) (
    input  logic                          clk,
    input  logic                          rst,
    input  int                            latency,
    input  int                            rate_words,
    input  int                            rate_cycles,
    input  int                            stall,
    input  int                            stall_seed,
    input  int                            asked,
    input  int                            pass,
    input  logic                          fresh,
    input  logic                          clear,
    input  logic                          dump,
    input  int                            turn,

    input  logic                          req_valid,
    output logic                          req_ready,
    input  logic [ADDRESS_BITS-1:0]       req_addr,
    input  logic [READ_LANES-1:0]         req_mask,
    input  longint                        read_base,  // the place of word 0 of a request
    output logic                          resp_valid,
    input  logic                          resp_ready,
    output logic [READ_LANES*BITS-1:0]    resp_data,

    input  logic                          valid,
    output logic                          ready,
    input  logic [ADDRESS_BITS-1:0]       addr,
    input  logic [WRITE_LANES*BITS-1:0]   data,
    input  logic [WRITE_LANES-1:0]        mask,
    input  longint                        write_base,

    output logic                          owed,     // a request, a write or an answer is still waiting
    output int                            failure,  // 0, or the kind of the first violation of the protocol
    output longint                        failure_address
);
    localparam int READ_OUTSIDE = 1, WRITE_OUTSIDE = 2, READ_UNSTABLE = 3, WRITE_UNSTABLE = 4, READ_UNKNOWN = 5,
        WRITE_UNKNOWN = 6;
    localparam int DEPTH = 1024;
    localparam logic [BITS-1:0] PATTERN = BITS'(64'hAAAA_AAAA_AAAA_AAAA);

    logic [BITS-1:0] words [0:WORDS-1];
    wire [BITS-1:0] unwritten = pass[0] ? ~PATTERN : PATTERN;

    logic [31:0] random;

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

    // Read side.
    logic [READ_LANES*BITS-1:0] queue [0:DEPTH-1];
    int due [0:DEPTH-1];
    int now = 0, head = 0, tail = 0, outstanding = 0, read_debt = 0;
    logic req_held = 0;
    logic [ADDRESS_BITS+READ_LANES-1:0] req_offered;
    initial {req_ready, resp_valid, resp_data} = '0;

    task read_step();
        if ((^{req_valid, resp_ready}) === 1'bx || (req_valid && (^{req_addr, req_mask}) === 1'bx))
            fail(READ_UNKNOWN, 0);
        if (req_held && (!req_valid || {req_addr, req_mask} != req_offered)) fail(READ_UNSTABLE, longint'(req_addr));
        req_held = req_valid && !req_ready;
        if (req_held) req_offered = {req_addr, req_mask};
        if (resp_valid && resp_ready) begin
            tail = (tail == latency) ? 0 : tail + 1;
            outstanding = outstanding - 1;
        end
        if (req_valid && req_ready) begin
            queue[head] = gather();
            due[head] = now + latency - 1;
            head = (head == latency) ? 0 : head + 1;
            outstanding = outstanding + 1;
            if (rate_words != 0) read_debt = read_debt + rate_cycles * $countones(req_mask);
        end
        if (rate_words != 0) read_debt = (read_debt > rate_words) ? read_debt - rate_words : 0;
    endtask

    function automatic logic [READ_LANES*BITS-1:0] gather();
        logic [ADDRESS_BITS-1:0] place;
        longint word;
        if ((&req_mask) && read_base == 0 && longint'(req_addr) + READ_LANES <= WORDS)
            for (int lane = 0; lane < READ_LANES; lane++)
                gather[lane*BITS +: BITS] = words[req_addr + ADDRESS_BITS'(lane)];
        else
            for (int lane = 0; lane < READ_LANES; lane++) begin
                place = req_addr + ADDRESS_BITS'(lane);
                word = longint'(place) + read_base;
                gather[lane*BITS +: BITS] = unwritten;
                if (req_mask[lane] && word < WORDS) gather[lane*BITS +: BITS] = words[word];
                else if (req_mask[lane]) fail(READ_OUTSIDE, word);
            end
    endfunction

    // Write side.
    int write_debt = 0;
    logic held = 0;
    logic [ADDRESS_BITS+WRITE_LANES*(BITS+1)-1:0] offered;
    initial ready = 0;

    task automatic write_step();
        logic [ADDRESS_BITS-1:0] place;
        longint word;
        if ((^valid) === 1'bx || (valid && (^{addr, mask}) === 1'bx)) fail(WRITE_UNKNOWN, 0);
        if (held && (!valid || {addr, mask, data} != offered)) fail(WRITE_UNSTABLE, longint'(addr));
        held = valid && !ready;
        if (held) offered = {addr, mask, data};
        if (valid && ready) begin
            for (int lane = 0; lane < WRITE_LANES; lane++) begin
                place = addr + ADDRESS_BITS'(lane);
                word = longint'(place) + write_base;
                if (mask[lane] && word < WORDS) words[word] = data[lane*BITS +: BITS];
                else if (mask[lane]) fail(WRITE_OUTSIDE, word);
            end
            if (rate_words != 0) write_debt = write_debt + rate_cycles * $countones(mask);
        end
        if (rate_words != 0) write_debt = (write_debt > rate_words) ? write_debt - rate_words : 0;
    endtask

    assign owed = outstanding != 0 || req_held || held;

    always @(posedge clk) begin
        now = now + 1;
        if (fresh) begin
            random = (32'(stall_seed) * 32'd2654435761) ^ (32'(INDEX + 1) * 32'd2246822519) | 32'd1;
            if (!OUTPUT) $readmemh($sformatf("%s.%0d.hex", NAME, asked), words);
        end else if (stall != 0) begin
            random = random ^ (random << 13);
            random = random ^ (random >> 17);
            random = random ^ (random << 5);
        end
        if (OUTPUT && dump) $writememh($sformatf("%s.%0d.hex", NAME, pass), words);
        if (OUTPUT && clear) for (int i = 0; i < WORDS; i++) words[i] = unwritten;
        if (clear) {read_debt, write_debt} = '0;
        if (rst) begin
            {head, tail, outstanding, read_debt, write_debt, req_held, held} = '0;
            {req_ready, resp_valid, ready} <= '0;
        end else begin
            read_step();
            write_step();
            resp_valid <= outstanding != 0
                && ((resp_valid && !resp_ready) || (due[tail] <= now && (int'(random[15:0]) >= stall)));
            resp_data <= queue[tail];
            req_ready <= outstanding <= latency && (rate_words == 0 || read_debt < rate_words) && turn != INDEX
                && (int'(random[31:16]) >= stall);
            ready <= (rate_words == 0 || write_debt < rate_words) && turn != INDEX && (int'(random[23:8]) >= stall);
        end
    end
endmodule
