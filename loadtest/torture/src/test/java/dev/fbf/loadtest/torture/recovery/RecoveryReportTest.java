package dev.fbf.loadtest.torture.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.pages.Figures;
import dev.fbf.loadtest.torture.recovery.RecoveryReport.Summary;
import dev.fbf.loadtest.torture.recovery.RecoveryReport.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecoveryReportTest {

    private static final Contender WITHOUT = Contender.withoutFbf();
    private static final Contender FILTER = Contender.withFilter(256);
    private static final Contender LEDGER = Contender.ofEachKind().get(4);

    private final List<Turn> turns = new ArrayList<>();

    @Test
    void comparesTheMediansOfAllTurns() {
        kill(3.0, 3.875, 7);
        kill(4.0, 3.25, 0);
        kill(2.0, 3.5, 9);

        RecoveryReport report = report();

        assertThat(report.summaries())
                .containsExactly(
                        new Summary("without fbf", 3, 3.0, 2.0, 4.0, 0, 5.0, 0.125, 0.125, 0, 0, 0),
                        new Summary("filter of 256 MiB", 3, 3.5, 3.25, 3.875, 0.5, 5.75, 0.125, 0.125, 0, 0, 9));
        assertThat(report.table()).containsPattern("\\+0.500 +5.750").contains("0 … 9");
        assertThat(report.targets()).hasSize(3).allMatch(Target::met);
        assertThat(Figures.of("recovery", "times", Map.of("figures", report)))
                .contains("| filter of 256 MiB | 0.125 | 0.125 | 3.500 | +0.500 |");
    }

    @Test
    void missesATargetIfItTakesTooLong() {
        kill(3.0, 3.5625, 1);
        kill(3.0, 3.5625, 1);

        assertThat(report().targets()).filteredOn(target -> !target.met()).hasSize(1);
    }

    @Test
    void missesATargetIfClientsWaitTooLongOnce() {
        kill(3.0, 3.0, 1);
        kill(3.0, 3.0, 1);
        turns.add(new Turn(FILTER.name(), 2.0, 3.0625, 5.75, 0, 16, 1, 2.5));

        assertThat(report().targets()).filteredOn(target -> !target.met()).hasSize(1);
    }

    @Test
    void failsIfOperationsWereRefusedWhileReady() {
        kill(3.0, 3.0, 1);
        turns.add(new Turn(FILTER.name(), 2.875, 3.0, 5.75, 1, 16, 1, 2.5));

        assertThat(report().failures()).singleElement().asString().contains("was ready and refused");
    }

    @Test
    void saysNothingIfThereWasNothingToSettle() {
        kill(3.0, 3.5, 0);
        assertThat(report().failures()).singleElement().asString().contains("anything to settle");

        kill(3.0, 3.5, 1);
        assertThat(report().failures()).isEmpty();
    }

    @Test
    void settlesNothingWithALedger() {
        turns.add(new Turn(WITHOUT.name(), 2.875, 3.0, 5.0, 0, 16, 0, 1.5));
        turns.add(new Turn(LEDGER.name(), 2.875, 3.0, 5.0, 0, 16, 0, 1.5));

        assertThat(RecoveryReport.of(List.of(WITHOUT, LEDGER), turns).failures())
                .isEmpty();
    }

    private RecoveryReport report() {
        return RecoveryReport.of(List.of(WITHOUT, FILTER), turns);
    }

    private void kill(double without, double filter, int settled) {
        turns.add(new Turn(WITHOUT.name(), without - 0.125, without, 5.0, 0, 16, 0, 1.5));
        turns.add(new Turn(FILTER.name(), filter - 0.125, filter, 5.75, 0, 16, settled, 2.5));
    }
}
