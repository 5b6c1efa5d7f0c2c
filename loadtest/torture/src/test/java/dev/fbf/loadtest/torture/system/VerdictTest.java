package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.torture.client.KnownHistory;
import dev.fbf.loadtest.torture.client.Operations;
import java.sql.Timestamp;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictTest {

    private final Operations operations = new Operations(1, 4, 0);
    private final KnownHistory known = new KnownHistory();
    private final Map<String, Long> values = new HashMap<>();

    private double expectedFalsePositives;

    private final long acknowledged = known.acknowledged();
    private final long cut = known.cut();

    @Test
    void passesWhenEachAcknowledgedOperationWasAppliedOnce() {
        Verdict verdict = verdict();
        apply(verdict, acknowledged);
        conclude(verdict);

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.explanation()).isEmpty();
        assertThat(verdict.unacknowledgedNew()).isEqualTo(1);
    }

    @Test
    void allowsAnOperationThatWasAppliedAndNeverAcknowledged() {
        Verdict verdict = verdict();
        apply(verdict, acknowledged);
        apply(verdict, cut);
        conclude(verdict);

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.unacknowledgedApplied()).isEqualTo(1);
    }

    @Test
    void findsAnOperationThatWasAcknowledgedAndNeverApplied() {
        known.retried(cut);
        Verdict verdict = verdict();
        apply(verdict, acknowledged);
        known.history().note("cut after commit");
        conclude(verdict);

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.lost()).containsExactly(cut);
        assertThat(verdict.explanation())
                .contains(operations.key(cut).toString())
                .contains("LOST")
                .contains("first  took     7 ms: cut")
                .contains("retry  took     5 ms: acknowledged 200, replayed")
                .contains("fault    cut after commit");
    }

    @Test
    void findsAnOperationThatWasAppliedTwice() {
        Verdict verdict = verdict();
        apply(verdict, acknowledged);
        apply(verdict, cut);
        apply(verdict, cut);
        conclude(verdict);
        verdict.time(
                operations.key(cut).toString(),
                Timestamp.from(known.history().begin().plusMillis(20)));

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.doubled()).containsExactly(Map.entry(cut, 2));
        assertThat(verdict.keysToExplain()).containsExactly(operations.key(cut).toString());
        assertThat(verdict.explanation())
                .contains("DOUBLED: applied 2 times")
                .contains("0.010 s  request  first")
                .contains("0.020 s  database applied");
    }

    @Test
    void takesAFirstRequestThatWasCalledARetryForAFalsePositive() {
        long mistaken = known.replayedAtFirst();
        expectedFalsePositives = 0.001;
        Verdict verdict = verdict();
        apply(verdict, acknowledged);
        conclude(verdict);

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.falsePositives()).containsExactly(mistaken);
        assertThat(verdict.lost()).doesNotContain(mistaken);
    }

    @Test
    void findsMoreFalsePositivesThanTheFilterMakesOneExpect() {
        long mistaken = known.replayedAtFirst();
        expectedFalsePositives = 1e-7;
        Verdict verdict = verdict();
        apply(verdict, acknowledged);
        conclude(verdict);

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.explanation())
                .contains("MISTAKEN")
                .contains(operations.key(mistaken).toString());
    }

    @Test
    void findsACounterThatWasChangedBesidesItsOperations() {
        Verdict verdict = verdict();
        apply(verdict, acknowledged);
        values.merge(operations.counter(acknowledged), 1L, Long::sum);
        conclude(verdict);

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.wrongValues()).hasSize(1);
    }

    @Test
    void findsAnApplicationOfWhatNobodySent() {
        Verdict verdict = verdict();
        apply(verdict, acknowledged);
        verdict.applied("no-key", Operations.page(0));
        values.merge(Operations.page(0), 1L, Long::sum);
        conclude(verdict);

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.foreign()).hasSize(1);
    }

    private Verdict verdict() {
        return new Verdict(operations, known.history(), expectedFalsePositives);
    }

    private void apply(Verdict verdict, long operation) {
        verdict.applied(operations.key(operation).toString(), operations.counter(operation));
        values.merge(operations.counter(operation), 1L, Long::sum);
    }

    private void conclude(Verdict verdict) {
        values.forEach(verdict::value);
        verdict.conclude();
    }
}
