// The sequence of one run asked for: reset for one cycle, start and wait for done `starts` times, with the outputs
// cleared before each start and written to files after it. Before each of the first `resets` starts there is another
// one that is cut off by a reset, the first after `reset_at` cycles, each further one a cycle later. The run is over
// when `answered` is `asked`. `cycles` counts from the edge that takes `start` to the edge that raises `done`.
module halidehw_control (
    input  logic   clk,
    input  int     asked,
    input  int     starts,
    input  int     resets,
    input  longint reset_at,
    input  longint timeout,
    output logic   rst,
    output logic   start,
    input  logic   done,
    input  logic   failed,
    output int     pass,
    output logic   fresh,
    output logic   clear,
    output logic   dump,
    output longint cycles,
    output longint reset_cycle,
    output int     outcome,
    output logic   halting,
    output int     answered
);
    localparam int FINISHED = 0, FAILED = 1, TIMED_OUT = 2, RESET_TOO_LATE = 3;
    localparam int WAITING = 0, RESETTING = 1, LAUNCHING = 2, STARTED = 3, RUNNING = 4, NEXT = 5, HALTED = 6;

    int state = WAITING, left = 0, resets_left = 0;
    logic aborting;

    initial begin
        rst = 1;
        {start, fresh, clear, dump, aborting, cycles, reset_cycle} = '0;
        {pass, answered} = '0;
        outcome = FINISHED;
    end

    assign halting = state == HALTED;

    task halt(input int reason);
        outcome <= reason;
        state <= HALTED;
    endtask

    always @(posedge clk) case (state)
        WAITING: if (asked != answered) begin
            fresh <= 1;
            left <= starts;
            resets_left <= resets;
            reset_cycle <= reset_at;
            aborting <= resets != 0;
            rst <= 1;
            state <= RESETTING;
        end
        RESETTING: begin
            fresh <= 0;
            rst <= 0;
            state <= LAUNCHING;
        end
        LAUNCHING: begin
            pass <= pass + 1;
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
                left <= left - 1;
                state <= NEXT;
            end else if (aborting && cycles == reset_cycle) begin
                aborting <= 0;
                resets_left <= resets_left - 1;
                reset_cycle <= reset_cycle + 1;
                pass <= pass - 1;
                rst <= 1;
                state <= RESETTING;
            end else if (cycles == timeout) halt(TIMED_OUT);
            else cycles <= cycles + 1;
        end
        NEXT: begin
            dump <= 0;
            aborting <= resets_left != 0;
            if (left == 0) halt(FINISHED);
            else state <= LAUNCHING;
        end
        default: begin
            answered <= asked;
            state <= WAITING;
        end
    endcase
endmodule
