package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SystemReportTest {

    private static final Duration BOUND = Duration.ofSeconds(1);

    private final SystemReport report = new SystemReport();

    @Test
    void countsNothingButSigkillAsAKill() {
        for (Fault fault : Fault.values()) {
            report.happened(fault);
        }
        assertThat(report.kills(Fault.Lane.APP)).isEqualTo(5);
        assertThat(report.kills(Fault.Lane.POSTGRES)).isEqualTo(4); // a termination and a stop are none
    }

    @Test
    void passesWhileClientsWaitNoLongerThanTheyMay() {
        recovered(100, true);
        recovered(200, true);
        recovered(1_000, true);
        recovered(20_000, false);
        report.lived(1);

        assertThat(report.isRecoveryPassed(BOUND)).isTrue();
    }

    @Test
    void failsIfClientsWaitTooLongOnce() {
        recovered(100, true);
        recovered(200, true);
        recovered(1_001, true);

        assertThat(report.isRecoveryPassed(BOUND)).isFalse();
    }

    @Test
    void failsIfClientsWaitTooLongHalfOfTheTime() {
        recovered(100, true);
        recovered(201, true);
        recovered(202, true);

        assertThat(report.isRecoveryPassed(BOUND)).isFalse();
    }

    @Test
    void failsIfOperationsWereRefusedWhileReady() {
        report.recovered(new Start(Duration.ZERO, Duration.ZERO, Duration.ZERO, 1), false);

        assertThat(report.isRecoveryPassed(BOUND)).isFalse();
    }

    @Test
    void failsIfALifeOfTheCrashLoopDidNotCount() {
        report.lived(1);
        report.lived(0);

        assertThat(report.isRecoveryPassed(BOUND)).isFalse();
    }

    @Test
    void hasNoTargetsWhereNoStartWasLeftAlone() {
        recovered(100, false);

        assertThat(report.targets(BOUND)).isEmpty();
    }

    private void recovered(int millis, boolean leftAlone) {
        Duration firstResponse = Duration.ofSeconds(3);
        report.recovered(new Start(firstResponse, firstResponse, firstResponse.plusMillis(millis), 0), leftAlone);
    }
}
