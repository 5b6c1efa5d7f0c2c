package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.torture.client.KnownHistory;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.client.Operations.Target;
import dev.fbf.loadtest.torture.system.Verdict.Tally;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VerdictTest {

    private final Operations operations = new Operations(1, 4, 0.7);
    private final KnownHistory known = new KnownHistory(operations);
    private final List<Long> applied = new ArrayList<>();

    private long beside;

    @Test
    void passesWhenEachAcknowledgedOperationWasAppliedOnce() {
        for (Target target : Target.values()) {
            applied.add(known.acknowledged(target));
            known.cut(target);
        }
        Verdict verdict = passed();

        assertThat(verdict.explanation()).isEmpty();
        assertThat(verdict.tallies).hasSameSizeAs(Target.values());
        assertThat(verdict.total().acknowledged()).isEqualTo(applied.size());
        assertThat(verdict.unacknowledgedApplied + verdict.unacknowledgedNew)
                .isEqualTo(known.history().operations() - applied.size());
    }

    @ParameterizedTest
    @EnumSource
    void allowsAnOperationThatWasAppliedAndNeverAcknowledged(Target target) {
        applied.add(known.cut(target));
        Verdict verdict = passed();

        assertThat(verdict.unacknowledgedApplied).isEqualTo(1);
        assertThat(verdict.unacknowledgedNew).isEqualTo(known.history().operations() - 1);
    }

    @ParameterizedTest
    @EnumSource
    void findsAnOperationThatWasAcknowledgedAndNeverApplied(Target target) {
        long lost = known.acknowledged(target);
        Verdict verdict = failed();

        assertThat(tally(verdict, target).lost()).isEqualTo(1);
        if (target == Target.SHARED_COUNTER) {
            assertThat(verdict.explanation()).contains("LOST: 1 on " + operations.counter(lost));
        } else {
            assertThat(verdict.lost).containsExactly(lost);
            assertThat(verdict.explanation())
                    .contains(operations.key(lost) + " on " + operations.counter(lost) + ", LOST");
        }
    }

    @ParameterizedTest
    @EnumSource
    void findsAnOperationThatWasAppliedTwice(Target target) {
        long doubled = known.acknowledged(target);
        applied.addAll(List.of(doubled, doubled));
        Verdict verdict = failed();

        assertThat(tally(verdict, target).doubled()).isEqualTo(1);
        if (target == Target.SHARED_COUNTER) {
            assertThat(verdict.explanation()).contains("DOUBLED: 1 on " + operations.counter(doubled));
        } else {
            assertThat(verdict.doubled).containsExactly(Map.entry(doubled, 2));
        }
    }

    @Test
    void findsACounterThatWasChangedBesidesItsOperations() {
        applied.add(known.acknowledged(Target.PAGE));
        beside = 1;
        assertThat(failed().wrongValues).hasSize(1);
    }

    @Test
    void findsAnApplicationOfWhatNobodySent() {
        applied.add(known.acknowledged(Target.PAGE));
        applied.add(1_000_000L);
        assertThat(failed().foreign).hasSize(1);
    }

    private Verdict passed() {
        Verdict verdict = verdict();
        assertThat(verdict.passed()).isTrue();
        return verdict;
    }

    private Verdict failed() {
        Verdict verdict = verdict();
        assertThat(verdict.passed()).isFalse();
        return verdict;
    }

    /** Of what clients were told and what was applied. */
    private Verdict verdict() {
        Verdict verdict = new Verdict(operations, known.history());
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
        return verdict.tallies.getOrDefault(target.toString(), Tally.NONE);
    }
}
