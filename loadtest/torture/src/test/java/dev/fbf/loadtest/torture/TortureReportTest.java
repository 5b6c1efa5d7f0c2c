package dev.fbf.loadtest.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TortureReportTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "all is found,                         false, true,  false, 0",
        "one operation is lost,                true,  true,  false, 1",
        "two filters had nothing to lose,      false, false, false, 2",
        "a filter says yes to everything,      false, true,  true,  1"
    })
    void failsIfAnOperationIsLostOrNothingWasThereToBeLostOrFiltersJustSayYes(
            String why, boolean lost, boolean everyFilterWasUsed, boolean saysYes, int failures) {
        TortureReport report = new TortureReport();
        for (Scope scope : everyFilterWasUsed ? Scope.values() : new Scope[] {Scope.LONG}) {
            report.lookedFor(scope, true);
        }
        if (lost) {
            report.lookedFor(Scope.LONG, false);
        }
        report.lookedForAbsent(saysYes);

        assertThat(report.failures()).hasSize(failures);
    }
}
