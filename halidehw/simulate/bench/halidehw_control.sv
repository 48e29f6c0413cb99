// Clock, reset and the sequence of runs: reset, (start, reset in the middle,) start and wait for done as often as
// asked, writing the outputs after each run. `cycles` counts from the edge that takes `start` to the one that
// raises `done`.
module halidehw_control (
    output logic   clk,
    output logic   rst,
    output logic   start,
    input  logic   done,
    input  logic   failed,
    output int     run,
    output logic   dump,
    output logic   ended,
    output longint cycles,
    output int     outcome,
    output logic   halted
);
    localparam int FINISHED = 0, FAILED = 1, TIMED_OUT = 2, RESET_TOO_LATE = 3;
    localparam int RESET_CYCLES = 4;

    int starts = 1;
    longint reset_at = 0, timeout = 0, limit = 0;
    logic running;

    initial clk = 0;
    always #1 clk = ~clk;

    always @(posedge clk) if (running) begin
        if (done || failed || cycles == limit) begin
            running <= 0;
            ended <= 1;
        end else cycles <= cycles + 1;
    end

    task reset();
        rst <= 1;
        repeat (RESET_CYCLES) @(posedge clk);
        rst <= 0;
        @(posedge clk);
    endtask

    task launch(input longint cycle_limit);
        limit = cycle_limit;
        start <= 1;
        @(posedge clk);
        start <= 0;
        cycles <= 0;
        ended <= 0;
        running <= 1;
        @(posedge ended);
    endtask

    initial begin
        {rst, start, dump, ended, running, halted} = 6'b100000;
        run = 0;
        cycles = 0;
        outcome = FINISHED;
        void'($value$plusargs("starts=%d", starts));
        void'($value$plusargs("reset_at=%d", reset_at));
        void'($value$plusargs("timeout=%d", timeout));
        reset();
        if (reset_at != 0) begin
            launch(reset_at);
            if (failed) outcome = FAILED;
            else if (done) outcome = RESET_TOO_LATE;
            else reset();
        end
        while (outcome == FINISHED && run < starts) begin
            run = run + 1;
            launch(timeout);
            if (failed) outcome = FAILED;
            else if (!done) outcome = TIMED_OUT;
            else begin
                dump = 1;
                @(posedge clk);
                dump = 0;
            end
        end
        halted = 1;
    end
endmodule
