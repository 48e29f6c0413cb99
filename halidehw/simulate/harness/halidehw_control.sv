// Reset and the sequence of runs: reset for one cycle, start and wait for done as often as asked, with the outputs
// cleared before each run and written to files after it. Before each of the first `resets` runs another one is started
// and cut off by a reset, the first after `reset_at` cycles, each further one a cycle later. `cycles` counts from the
// edge that takes `start` to the edge that raises `done`.
module halidehw_control (
    input  logic   clk,
    output logic   rst,
    output logic   start,
    input  logic   done,
    input  logic   failed,
    output int     run,
    output logic   clear,
    output logic   dump,
    output longint cycles,
    output longint reset_at,
    output int     outcome,
    output logic   halting,
    output logic   halted
);
    localparam int FINISHED = 0, FAILED = 1, TIMED_OUT = 2, RESET_TOO_LATE = 3;
    localparam int RESETTING = 0, LAUNCHING = 1, STARTED = 2, RUNNING = 3, NEXT = 4, HALTED = 5;

    int starts = 1, resets = 0, state = RESETTING;
    longint timeout = 0;
    logic aborting;

    initial begin
        rst = 1;
        {start, clear, dump, halted, cycles} = '0;
        run = 0;
        outcome = FINISHED;
        if (!$value$plusargs("starts=%d", starts)) starts = 1;
        if (!$value$plusargs("reset_at=%d", reset_at)) reset_at = 0;
        if (!$value$plusargs("timeout=%d", timeout)) timeout = 0;
        if (!$value$plusargs("resets=%d", resets)) resets = 0;
        aborting = resets != 0;
    end

    assign halting = state == HALTED;

    task halt(input int reason);
        outcome <= reason;
        state <= HALTED;
    endtask

    always @(posedge clk) case (state)
        RESETTING: begin
            rst <= 0;
            state <= LAUNCHING;
        end
        LAUNCHING: begin
            run <= run + 1;
            clear <= 1;
            start <= 1;
            state <= STARTED;
        end
        STARTED: begin
            clear <= 0;
            start <= 0;
            cycles <= 0;
            state <= RUNNING;
        end
        RUNNING: begin
            if (failed) halt(FAILED);
            else if (done && aborting) halt(RESET_TOO_LATE);
            else if (done) begin
                dump <= 1;
                state <= NEXT;
            end else if (aborting && cycles == reset_at) begin
                aborting <= 0;
                resets <= resets - 1;
                reset_at <= reset_at + 1;
                run <= run - 1;
                rst <= 1;
                state <= RESETTING;
            end else if (cycles == timeout) halt(TIMED_OUT);
            else cycles <= cycles + 1;
        end
        NEXT: begin
            dump <= 0;
            if (run == starts) halt(FINISHED);
            else state <= LAUNCHING;
            aborting <= resets != 0;
        end
        default: halted <= 1;
    endcase
endmodule
