package dev.fbf.loadtest.torture.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fbf.loadtest.torture.recovery.RecoveryReport.Summary;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecoveryReportTest {

    private static final Contender WITHOUT = Contender.withoutFbf();
    private static final Contender FILTER = new Contender("filter", 268_435_456, 1_000);
    private static final List<Contender> CONTENDERS = List.of(WITHOUT, FILTER);

    private final List<Turn> turns = new ArrayList<>();

    @Test
    void comparesTheMediansOfAllRounds() {
        round(3.0, 3.9, 7);
        round(4.0, 3.25, 0);
        round(2.0, 3.5, 9);

        RecoveryReport report = RecoveryReport.of("a machine", CONTENDERS, turns);

        assertThat(report.summaries())
                .containsExactly(
                        new Summary("without fbf", 3.0, 2.0, 4.0, 5.0, 0, 0, 0),
                        new Summary("filter", 3.5, 3.25, 3.9, 5.75, 16, 0, 9));
        RecoveryReport.Cost cost = report.costs().get(0);
        assertThat(report.costs()).hasSize(1);
        assertThat(cost.ofMedians()).isEqualTo(0.5);
        assertThat(cost.lowest()).isEqualTo(-0.75);
        assertThat(cost.highest()).isEqualTo(1.5);
        assertThat(cost.processorSeconds()).isEqualTo(0.75);
        assertThat(cost.isWithinTarget()).isTrue();
        assertThat(report.table())
                .contains("+0.500   (≤ 0.5: met; of single rounds -0.750 … +1.500)   processor time +0.750")
                .contains("0 … 9   a file of 268,435,456 bytes, 1,000 operations in it");
    }

    @Test
    void takesTheMeanOfTheTwoInTheMiddle() {
        round(3.0, 3.5, 1);
        round(4.0, 5.0, 1);

        RecoveryReport report = RecoveryReport.of("a machine", CONTENDERS, turns);

        assertThat(report.summaries()).extracting(Summary::median).containsExactly(3.5, 4.25);
        assertThat(report.costs().get(0).ofMedians()).isCloseTo(0.75, within(1e-9));
        assertThat(report.table()).contains("(≤ 0.5: MISSED;");
    }

    @Test
    void saysNothingIfThereWasNothingToSettle() {
        round(3.0, 3.5, 0);
        assertThat(RecoveryReport.of("a machine", CONTENDERS, turns).settledSomething())
                .isFalse();

        round(3.0, 3.5, 1);
        assertThat(RecoveryReport.of("a machine", CONTENDERS, turns).settledSomething())
                .isTrue();
    }

    private void round(double without, double filter, int settled) {
        turns.add(new Turn(WITHOUT.name(), without, 5.0, 16, 0, 1.5));
        turns.add(new Turn(FILTER.name(), filter, 5.75, 16, settled, 2.5));
    }
}
