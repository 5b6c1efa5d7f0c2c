package dev.fbf.loadtest.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.jcstress.StressReport.Row;
import java.util.List;
import org.junit.jupiter.api.Test;

class StressReportTest {

    private static final Row PASSED = new Row("a", false, 10, 0, 0);
    private static final Row WEAKENED_THAT_FAILED = new Row("b", true, 10, 1, 0);
    private static final Row WEAKENED_THAT_DID_NOT = new Row("c", true, 10, 0, 0);

    @Test
    void passesWhenOnlyTheWeakenedVariantFailed() {
        assertThat(report(true, PASSED, WEAKENED_THAT_FAILED).failures()).isEmpty();
    }

    @Test
    void failsWhenAForbiddenOutcomeWasSeen() {
        assertThat(report(false, new Row("a", false, 10, 1, 0)).failures()).isNotEmpty();
    }

    @Test
    void failsWhenATestSawNothingOrDidNotRunOrThereIsNone() {
        assertThat(report(false, new Row("a", false, 0, 0, 0)).failures()).isNotEmpty();
        assertThat(report(false, new Row("a", false, 10, 0, 1)).failures()).isNotEmpty();
        assertThat(report(false).failures()).isNotEmpty();
    }

    @Test
    void demandsThatAWeakenedVariantFailsOnlyWhereItIsStrict() {
        assertThat(report(true, PASSED, WEAKENED_THAT_DID_NOT).failures()).isNotEmpty();
        assertThat(report(false, PASSED, WEAKENED_THAT_DID_NOT).failures()).isEmpty();
    }

    private static StressReport report(boolean strict, Row... rows) {
        return new StressReport(strict, List.of(rows));
    }
}
