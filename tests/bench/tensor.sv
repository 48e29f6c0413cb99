// A tensor in memory, as docs/hardware.md wants it: a read port and a write port, of which one may be unused. `hold`
// is how often each ready and each answer is held back, of 256; with `bursts`, for up to 100 cycles each time. It says
// on standard output where the accelerator breaks a rule.
module tensor #(
    parameter NAME = "", parameter BITS = 8, WORDS = 1, ADDRESS = 1, READ_LANES = 1, WRITE_LANES = 1, SEED = 1
) (
    input clk, input rst, input clear, input [8:0] hold, input bursts, output owed,
    input req_valid, output reg req_ready, input [ADDRESS-1:0] req_addr, input [READ_LANES-1:0] req_mask,
    output reg resp_valid, input resp_ready, output reg [READ_LANES*BITS-1:0] resp_data,
    input valid, output reg ready, input [ADDRESS-1:0] addr, input [WRITE_LANES-1:0] mask,
    input [WRITE_LANES*BITS-1:0] data
);
    localparam MOST = 128;
    reg [BITS-1:0] words[0:WORDS-1];
    reg [READ_LANES*BITS-1:0] answers[0:MOST-1];
    integer first = 0, count = 0, seed = SEED, i, busy[0:2];
    reg [ADDRESS-1:0] place;
    reg asked = 0, offered = 0;  // in the cycle before, and not accepted
    reg [ADDRESS-1:0] asked_addr, offered_addr;
    reg [READ_LANES-1:0] asked_mask;
    reg [WRITE_LANES-1:0] offered_mask;
    reg [WRITE_LANES*BITS-1:0] offered_data;

    assign owed = count != 0;
    initial begin
        {req_ready, resp_valid, ready, resp_data} = 0;
        for (i = 0; i < 3; i = i + 1) busy[i] = 0;
    end

    function integer draw(input integer limit);
        begin
            seed = seed * 1103515245 + 12345;
            draw = (seed >> 8) & 16'hffff;
            draw = draw % limit;
        end
    endfunction

    // Whether side `n` goes on in the next cycle.
    function goes(input integer n);
        begin
            if (busy[n] > 0) busy[n] = busy[n] - 1;
            else if (draw(256) < hold) busy[n] = bursts ? draw(100) : 1;
            goes = busy[n] == 0;
        end
    endfunction

    always @(posedge clk) begin
        if (asked && !(req_valid && req_addr == asked_addr && req_mask == asked_mask))
            $display("WRONG %s: a request is withdrawn or changed", NAME);
        if (offered && !(valid && addr == offered_addr && mask == offered_mask && data == offered_data))
            $display("WRONG %s: a write is withdrawn or changed", NAME);
        asked <= req_valid && !req_ready && !rst;
        {asked_addr, asked_mask} <= {req_addr, req_mask};
        offered <= valid && !ready && !rst;
        {offered_addr, offered_mask, offered_data} <= {addr, mask, data};
        if (resp_valid && resp_ready) begin
            first = (first + 1) % MOST;
            count = count - 1;
        end
        if (req_valid && req_ready && !rst) begin
            if (req_mask == 0) $display("WRONG %s: a request for no word", NAME);
            for (i = 0; i < READ_LANES; i = i + 1) begin
                place = req_addr + i;
                if (req_mask[i] && place >= WORDS) $display("WRONG %s: reads word %0d of %0d", NAME, place, WORDS);
                answers[(first + count) % MOST][i*BITS +: BITS] = req_mask[i] ? words[place] : draw(65536);
            end
            count = count + 1;
        end
        if (valid && ready && !rst) for (i = 0; i < WRITE_LANES; i = i + 1) begin
            place = addr + i;
            if (mask[i] && place >= WORDS) $display("WRONG %s: writes word %0d of %0d", NAME, place, WORDS);
            if (mask[i]) words[place] = data[i*BITS +: BITS];
        end
        if (rst) count = 0;
        if (clear) for (i = 0; i < WORDS; i = i + 1) words[i] = draw(65536);
        req_ready <= goes(0) && count < MOST - 1;
        ready <= goes(1);
        if (!(resp_valid && !resp_ready && !rst)) begin
            resp_valid <= goes(2) && count > 0;
            resp_data <= answers[first];
        end
    end
endmodule
