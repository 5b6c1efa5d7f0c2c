package dev.fbf.loadtest.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TortureReportTest {

    private final TortureReport report = new TortureReport();

    @Test
    void passesWhenAllThatWasAcknowledgedIsFoundInEveryFilter() {
        find(Scope.values());
        report.lookedForAbsent(false);

        assertThat(report.failures()).isEmpty();
    }

    @Test
    void failsWhenOneOperationIsLost() {
        find(Scope.values());
        report.lookedForAbsent(false);
        report.lookedFor(Scope.LONG, false);

        assertThat(report.failures()).hasSize(1);
    }

    @Test
    void failsWhenAFilterHadNothingToLose() {
        find(Scope.LONG);
        report.lookedForAbsent(false);

        assertThat(report.failures()).hasSize(Scope.values().length - 1);
    }

    @Test
    void failsWhenAFilterSaysYesToEverything() {
        find(Scope.values());
        report.lookedForAbsent(true);

        assertThat(report.failures()).hasSize(1);
    }

    private void find(Scope... scopes) {
        for (Scope scope : scopes) {
            report.lookedFor(scope, true);
        }
    }
}
