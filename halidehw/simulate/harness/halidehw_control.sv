// The sequence of one run asked for: reset for one cycle, start and wait for done `starts` times, with the outputs
// cleared before each start and written to files after it. Before each of the first `cuts` starts there is another
// one that is cut off, by a reset or (`softly`) by `abort`, the first after `cut_at` cycles, each further one a cycle
// later. After an abort no memory may owe an answer to an idle accelerator, which is idle SOON cycles after the last answer at most; in
// the run's last cycle it comes too late; `abort` is high with every `start` too, when it means nothing. `turn`: the
// number of the memory that accepts nothing, from `held_first` on each in turn for the first `hold` cycles and the next
// ones of a start that is not cut off, and then none (0: none ever). `onward`: without the reset, from the state in which
// the run before has left the design. `stop_at`: the last start is ended after so many cycles, and its outputs are
// written as they are then (0: it is not). A start is given up after `timeout` cycles, or when no word has crossed a
// port (`moving`) for `patience` cycles. The run is over when `answered` is `asked`. `cycles` counts from the edge that
// takes `start` to the edge that raises `done`.
module halidehw_control #(
    parameter int SOON = 16
) (
    input  logic   clk,
    input  int     asked,
    input  int     starts,
    input  int     cuts,
    input  int     softly,
    input  longint cut_at,
    input  int     onward,
    input  longint stop_at,
    input  longint hold,
    input  int     held_first,
    input  longint timeout,
    input  longint patience,
    output logic   rst,
    output logic   start,
    output logic   abort,
    input  logic   idle,
    input  logic   done,
    input  logic   owed,
    input  logic   failed,
    input  logic   moving,
    output int     pass,
    output logic   fresh,
    output logic   clear,
    output logic   dump,
    output longint cycles,
    output longint cut_cycle,
    output int     outcome,
    output logic   halting,
    output int     turn,
    output int     answered
);
    localparam int FINISHED = 0, FAILED = 1, TIMED_OUT = 2, CUT_TOO_LATE = 3, ANSWERS_LEFT = 4,
        ABORT_IGNORED = 5, STUCK = 6, STOPPED = 7, ABORT_LATE = 8;
    localparam int WAITING = 0, RESETTING = 1, LAUNCHING = 2, STARTED = 3, RUNNING = 4, ABORTING = 5, NEXT = 6,
        HALTED = 7;

    int state = WAITING, left = 0, cuts_left = 0;
    logic cutting, stopped;
    longint quiet, held;

    initial begin
        rst = 1;
        {start, abort, fresh, clear, dump, cutting, stopped, quiet, held, cycles, cut_cycle} = '0;
        turn = -1;
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
            cuts_left <= cuts;
            cut_cycle <= cut_at;
            cutting <= cuts != 0;
            stopped <= 0;
            rst <= onward == 0;
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
            abort <= softly != 0;
            state <= STARTED;
        end
        STARTED: begin
            clear <= 0;
            start <= 0;
            abort <= 0;
            cycles <= 0;
            quiet <= 0;
            held <= 0;
            turn <= hold != 0 && !cutting ? held_first : -1;
            state <= RUNNING;
        end
        RUNNING: begin
            quiet <= moving ? 0 : quiet + 1;
            held <= held + 1 == hold ? 0 : held + 1;
            if (turn >= 0 && held + 1 == hold) turn <= turn + 1;
            if (failed) halt(FAILED);
            else if (done && cutting) halt(CUT_TOO_LATE);
            else if (done) begin
                dump <= 1;
                left <= left - 1;
                state <= NEXT;
            end else if (cutting && cycles == cut_cycle) begin
                cutting <= 0;
                cuts_left <= cuts_left - 1;
                pass <= pass - 1;
                quiet <= 0;
                abort <= softly != 0;
                rst <= softly == 0;
                state <= softly != 0 ? ABORTING : RESETTING;
            end else if (stop_at != 0 && left == 1 && cycles == stop_at) begin
                stopped <= 1;
                dump <= 1;
                left <= 0;
                state <= NEXT;
            end else if (cycles == timeout) halt(TIMED_OUT);
            else if (quiet == patience) halt(STUCK);
            else cycles <= cycles + 1;
        end
        ABORTING: begin
            abort <= 0;
            cycles <= cycles + 1;
            quiet <= owed ? 0 : quiet + 1;
            if (failed) halt(FAILED);
            else if (idle && owed) halt(ANSWERS_LEFT);
            else if (done && cycles > cut_cycle + 2) halt(ABORT_IGNORED);
            else if (idle) state <= LAUNCHING;
            else if (quiet == SOON) halt(ABORT_LATE);
            else if (cycles >= timeout) halt(TIMED_OUT);
        end
        NEXT: begin
            dump <= 0;
            turn <= -1;
            cutting <= cuts_left != 0;
            cut_cycle <= cut_cycle + 1;
            if (left == 0) halt(stopped ? STOPPED : FINISHED);
            else state <= LAUNCHING;
        end
        default: begin
            answered <= asked;
            state <= WAITING;
        end
    endcase
endmodule
