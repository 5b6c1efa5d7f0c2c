package dev.fbf.loadtest.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.jcstress.StressReport.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StressReportTest {

    private static final Row PASSED = Row.of("a", false, 10, 0, 0, Map.of());
    private static final Row WEAKENED_THAT_FAILED = Row.of("b", true, 10, 1, 0, Map.of());
    private static final Row WEAKENED_THAT_DID_NOT = Row.of("c", true, 10, 0, 0, Map.of());

    @Test
    void passesWhenOnlyTheWeakenedVariantFailed() {
        assertThat(report(true, PASSED, WEAKENED_THAT_FAILED).failures()).isEmpty();
    }

    @Test
    void failsWhenAForbiddenOutcomeWasSeen() {
        assertThat(report(false, Row.of("a", false, 10, 1, 0, Map.of())).failures())
                .isNotEmpty();
    }

    @Test
    void failsWhenATestSawNothingOrDidNotRunOrThereIsNone() {
        assertThat(report(false, Row.of("a", false, 0, 0, 0, Map.of())).failures())
                .isNotEmpty();
        assertThat(report(false, Row.of("a", false, 10, 0, 1, Map.of())).failures())
                .isNotEmpty();
        assertThat(report(false).failures()).isNotEmpty();
    }

    @Test
    void demandsThatAWeakenedVariantFailsOnlyWhereItIsStrict() {
        assertThat(report(true, PASSED, WEAKENED_THAT_DID_NOT).failures()).isNotEmpty();
        assertThat(report(false, PASSED, WEAKENED_THAT_DID_NOT).failures()).isEmpty();
    }

    @Test
    void tellsInTheTableWhatIsWeakened() {
        assertThat(report(true, WEAKENED_THAT_FAILED).table())
                .contains("b (weakened)")
                .contains("failed as it must");
    }

    private static StressReport report(boolean strict, Row... rows) {
        return new StressReport(strict, List.of(rows));
    }
}
