package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportTest {

    private static final Duration BOUND = Duration.ofSeconds(1);

    private final Report report = new Report();

    @ParameterizedTest
    @CsvSource({"100, 200, 1000, true", "100, 200, 1001, false", "100, 201, 202, false"})
    void failsIfClientsWaitTooLongOnceOrHalfOfTheTime(int one, int middle, int longest, boolean passed) {
        recovered(20_000, false);
        assertThat(report.targets(BOUND)).isEmpty();
        recovered(one, true);
        recovered(middle, true);
        recovered(longest, true);
        report.lived(1);
        assertThat(report.isRecoveryPassed(BOUND)).isEqualTo(passed);
    }

    @Test
    void failsIfOperationsWereRefusedWhileReady() {
        report.started(new Start(Duration.ZERO, 1), false);
        assertThat(report.isRecoveryPassed(BOUND)).isFalse();
    }

    @Test
    void failsIfALifeOfTheCrashLoopDidNotCount() {
        report.lived(1);
        report.lived(0);
        assertThat(report.isRecoveryPassed(BOUND)).isFalse();
    }

    private void recovered(int millis, boolean leftAlone) {
        report.started(new Start(Duration.ofMillis(millis), 0), leftAlone);
    }
}
