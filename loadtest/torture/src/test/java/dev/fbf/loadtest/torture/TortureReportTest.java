package dev.fbf.loadtest.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TortureReportTest {

    private final TortureReport report = new TortureReport();

    @Test
    void passesWhenAllThatWasAcknowledgedIsFoundInEveryFilter() {
        find(Scope.values());
        report.lookedForAbsent(false);

        assertThat(report.passed()).isTrue();
        assertThat(report.table()).contains("passed");
    }

    @Test
    void failsWhenOneOperationIsLost() {
        find(Scope.values());
        report.lookedForAbsent(false);
        report.lookedFor(Scope.LONG, false);

        assertThat(report.passed()).isFalse();
        assertThat(report.table()).contains("FAILED");
    }

    @Test
    void failsWhenAFilterHadNothingToLose() {
        find(Scope.LONG);
        report.lookedForAbsent(false);

        assertThat(report.passed()).isFalse();
    }

    @Test
    void failsWhenAFilterSaysYesToEverything() {
        find(Scope.values());
        report.lookedForAbsent(true);

        assertThat(report.passed()).isFalse();
    }

    private void find(Scope... scopes) {
        for (Scope scope : scopes) {
            report.lookedFor(scope, true);
        }
    }
}
