package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.torture.client.KnownHistory;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.client.Operations.Target;
import dev.fbf.loadtest.torture.system.Verdict.Tally;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class VerdictTest {

    private final Operations operations = new Operations(1, 4, 0.7);
    private final KnownHistory known = new KnownHistory();
    private final List<Long> applied = new ArrayList<>();

    private double expectedFalsePositives;
    private long beside;

    @Test
    void passesWhenEachAcknowledgedOperationWasAppliedOnce() {
        for (Target target : Target.values()) {
            applied.add(on(target, known::acknowledged));
            on(target, known::cut);
        }
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.explanation()).isEmpty();
        assertThat(verdict.tallies()).containsOnlyKeys(Target.values());
        assertThat(verdict.total().acknowledged()).isEqualTo(applied.size());
        assertThat(verdict.unacknowledgedApplied() + verdict.unacknowledgedNew())
                .isEqualTo(known.history().operations() - applied.size());
    }

    @Test
    void allowsAnOperationThatWasAppliedAndNeverAcknowledged() {
        applied.add(on(Target.PAGE, known::cut));
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.unacknowledgedApplied()).isEqualTo(1);
    }

    @Test
    void findsAnOperationThatWasAcknowledgedAndNeverApplied() {
        long lost = on(Target.PAGE, known::cut);
        known.retried(lost);
        known.history().note("cut after commit");
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.lost()).containsExactly(lost);
        assertThat(verdict.explanation())
                .contains(operations.key(lost).toString())
                .contains("LOST")
                .contains("first  took     7 ms: cut")
                .contains("retry  took     5 ms: acknowledged 200, replayed")
                .contains("fault    cut after commit");
    }

    @Test
    void findsAnOperationThatWasAppliedTwice() {
        long doubled = on(Target.PAGE, known::cut);
        applied.addAll(List.of(doubled, doubled));
        Verdict verdict = verdict();
        verdict.time(
                operations.key(doubled).toString(),
                Timestamp.from(known.history().begin().plusMillis(20)));

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.doubled()).containsExactly(Map.entry(doubled, 2));
        assertThat(verdict.keysToExplain())
                .containsExactly(operations.key(doubled).toString());
        assertThat(verdict.explanation())
                .contains("DOUBLED: applied 2 times")
                .contains("0.010 s  request  first")
                .contains("0.020 s  database applied");
    }

    @Test
    void takesAFirstRequestThatWasCalledARetryForAFalsePositive() {
        long falsePositive = on(Target.PAGE, known::replayedAtFirst);
        expectedFalsePositives = 0.001;
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.falsePositives()).containsExactly(falsePositive);
        assertThat(verdict.lost()).isEmpty();
    }

    @Test
    void findsMoreFalsePositivesThanTheFilterMakesOneExpect() {
        long falsePositive = on(Target.PAGE, known::replayedAtFirst);
        expectedFalsePositives = 1e-7;
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.explanation())
                .contains("MISTAKEN")
                .contains(operations.key(falsePositive).toString());
    }

    @Test
    void findsACounterThatWasChangedBesidesItsOperations() {
        applied.add(on(Target.PAGE, known::acknowledged));
        beside = 1;

        assertThat(verdict().passed()).isFalse();
        assertThat(verdict().wrongValues()).hasSize(1);
    }

    @Test
    void findsAnApplicationOfWhatNobodySent() {
        applied.add(on(Target.PAGE, known::acknowledged));
        applied.add(Operations.number(7, 7));

        assertThat(verdict().passed()).isFalse();
        assertThat(verdict().foreign()).hasSize(1);
    }

    @Test
    void findsAnOperationOfAGroupThatWasLost() {
        long lost = on(Target.OWN_COUNTER, known::acknowledged);
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.lost()).containsExactly(lost);
        assertThat(tally(verdict, Target.OWN_COUNTER).lost()).isEqualTo(1);
        assertThat(verdict.explanation()).contains(operations.key(lost) + " on op-" + operations.key(lost) + ", LOST");
    }

    @Test
    void findsAnOperationOfAGroupThatWasDoubled() {
        long doubled = on(Target.OWN_COUNTER, known::acknowledged);
        applied.addAll(List.of(doubled, doubled));
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.doubled()).containsExactly(Map.entry(doubled, 2));
        assertThat(tally(verdict, Target.OWN_COUNTER).doubled()).isEqualTo(1);
    }

    @Test
    void findsThatASharedCounterLacksAnOperation() {
        String counter = operations.counter(on(Target.SHARED_COUNTER, known::acknowledged));
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isFalse();
        assertThat(tally(verdict, Target.SHARED_COUNTER).lost()).isEqualTo(1);
        assertThat(verdict.explanation()).contains("LOST: 1 on " + counter);
    }

    @Test
    void findsThatASharedCounterHasAnOperationTooMuch() {
        long operation = on(Target.SHARED_COUNTER, known::acknowledged);
        applied.addAll(List.of(operation, operation));
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isFalse();
        assertThat(tally(verdict, Target.SHARED_COUNTER).doubled()).isEqualTo(1);
        assertThat(verdict.explanation()).contains("DOUBLED: 1 on " + operations.counter(operation));
    }

    @Test
    void allowsOnASharedCounterWhatWasNeverAcknowledged() {
        applied.add(on(Target.SHARED_COUNTER, known::cut));
        long unacknowledged = known.history().operations();
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.unacknowledgedApplied()).isEqualTo(1);
        assertThat(verdict.unacknowledgedNew()).isEqualTo(unacknowledged - 1);
    }

    @Test
    void takesWhatASharedCounterLacksForFalsePositivesIfSomeWereCalledRetriesAtFirst() {
        long falsePositive = on(Target.SHARED_COUNTER, known::replayedAtFirst);
        expectedFalsePositives = 0.001;
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.falsePositives()).containsExactly(falsePositive);
    }

    @Test
    void doesNotTakeWhatASharedCounterHasForAFalsePositive() {
        applied.add(on(Target.SHARED_COUNTER, known::replayedAtFirst));
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.falsePositives()).isEmpty();
    }

    @Test
    void failsWhenNoGroupHadSeveral() {
        applied.add(on(Target.OWN_COUNTER, known::acknowledged));
        Verdict verdict = verdict();

        assertThat(SystemReport.isPassed(verdict, 1, new Tables.Groups(9, 9, 0, 0, 1)))
                .isFalse();
        assertThat(SystemReport.isPassed(verdict, 1, new Tables.Groups(8, 9, 1, 2, 2)))
                .isTrue();
        assertThat(SystemReport.isPassed(verdict, 0, new Tables.Groups(8, 9, 1, 2, 2)))
                .isFalse();
    }

    /** The next operation on such a target; those that come by before are cut. */
    private long on(Target target, LongSupplier add) {
        while (operations.target(Operations.number(0, (int) known.history().operations())) != target) {
            known.cut();
        }
        return add.getAsLong();
    }

    /** Of what clients were told and what was applied. */
    private Verdict verdict() {
        Verdict verdict = new Verdict(operations, known.history(), expectedFalsePositives);
        Map<String, Long> values = new HashMap<>();
        for (long operation : applied) {
            String counter = operations.counter(operation);
            verdict.applied(
                    Operations.isShared(counter)
                            ? ""
                            : operations.key(operation).toString(),
                    counter);
            values.merge(counter, 1L, Long::sum);
        }
        values.forEach((counter, value) -> verdict.value(counter, value + beside));
        verdict.conclude();
        return verdict;
    }

    private static Tally tally(Verdict verdict, Target target) {
        return verdict.tallies().getOrDefault(target, Tally.NONE);
    }
}
