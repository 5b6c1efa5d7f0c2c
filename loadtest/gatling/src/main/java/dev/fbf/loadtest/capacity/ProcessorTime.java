package dev.fbf.loadtest.capacity;

import java.time.Duration;

/**
 * Processor time of those who share this machine.
 *
 * @param gatling this process, which loads the app
 * @param app the app
 * @param postgres PostgreSQL, all its processes together
 */
record ProcessorTime(Duration gatling, Duration app, Duration postgres) {

    static ProcessorTime now(ProcessHandle app, ProcessHandle postgres) {
        Duration ofPostgres = postgres.children().map(ProcessorTime::of).reduce(of(postgres), Duration::plus);
        return new ProcessorTime(of(ProcessHandle.current()), of(app), ofPostgres);
    }

    /** None, for a process that is gone. */
    private static Duration of(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    ProcessorTime minus(ProcessorTime earlier) {
        return new ProcessorTime(
                gatling.minus(earlier.gatling), app.minus(earlier.app), postgres.minus(earlier.postgres));
    }

    Duration sum() {
        return gatling.plus(app).plus(postgres);
    }
}
