package dev.fbf.core.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterInWords;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that dies before each of the stores that it makes for a transaction, one after another. */
class CrashPointTest {

    private static final int MAX_CLAIMS = 4;
    private static final List<String> SCOPES = List.of("views", "likes");

    /** How a transaction ends in the database, and how much of that its process knows. */
    private enum End {
        COMMITTED,
        COMMITTED_AND_IN_DOUBT,
        COMMITTED_LATE,
        ROLLED_BACK,
        ROLLED_BACK_AND_IN_DOUBT,
        MISPLACED
    }

    @ParameterizedTest
    @EnumSource
    void appliesOneOperationOnceWhereverItDies(End end) {
        diesEverywhere(end, 1);
    }

    @ParameterizedTest
    @EnumSource
    void appliesThreeOperationsOfTwoScopesOnceWhereverItDies(End end) {
        diesEverywhere(end, 3);
    }

    private static void diesEverywhere(End end, int operations) {
        int stores = 0;
        while (!livesFor(stores, end, operations)) {
            stores++;
        }
        // words of each record, and the filter's bits
        assertThat(stores).isGreaterThanOrEqualTo(operations * ClaimLayout.RECORD_WORDS);
    }

    /** Returns whether it came to its end. */
    private static boolean livesFor(int stores, End end, int operations) {
        Words words = new HeapWords(ClaimLayout.words(MAX_CLAIMS));
        Map<String, Words> filters =
                SCOPES.stream().collect(Collectors.toMap(scope -> scope, scope -> new HeapWords(FilterInWords.size())));
        HeapNode.initialize(words, MAX_CLAIMS, filters.values());
        FakeDatabase witness = new FakeDatabase();
        List<FakeDatabase.Commit> late = new ArrayList<>();
        StoresLeft left = new StoresLeft(stores);
        boolean lived = true;
        try {
            HeapNode node = new HeapNode(
                    left.of(words),
                    filters.entrySet().stream()
                            .collect(Collectors.toMap(Map.Entry::getKey, filter -> left.of(filter.getValue()))),
                    MAX_CLAIMS,
                    witness);
            apply(node, witness, end, operations, late);
        } catch (Death e) {
            lived = false;
        }

        String when = end + ", " + operations + " operations, dead after " + stores + " stores";
        HeapNode next = new HeapNode(words, filters, MAX_CLAIMS, witness);
        SCOPES.forEach(next::scope);
        assertThat(next.database.settleable()).as(when).allMatch(witness::settle);
        late.forEach(witness::commit);
        for (int i = 0; i < operations; i++) {
            retry(next, witness, i);
            assertThat(witness.timesApplied(id(i))).as(when).isEqualTo(1);
        }
        assertThat(next.claims.held()).as(when).isZero();
        assertThat(next.written()).as(when).isEmpty();
        return lived;
    }

    private static void apply(
            HeapNode node, FakeDatabase witness, End end, int operations, List<FakeDatabase.Commit> late) {
        WitnessedTransaction transaction = node.database.transaction(claim(node, 0));
        for (int i = 1; i < operations; i++) {
            transaction.add(claim(node, i));
        }
        transaction.beforeCommit();
        switch (end) {
            case COMMITTED -> {
                witness.commit(transaction);
                transaction.committed();
            }
            case COMMITTED_AND_IN_DOUBT -> {
                witness.commit(transaction);
                transaction.inDoubt();
                witness.settle(transaction);
            }
            case COMMITTED_LATE -> {
                late.add(FakeDatabase.Commit.of(transaction));
                transaction.inDoubt();
                witness.settle(transaction);
            }
            case ROLLED_BACK -> transaction.rolledBack();
            case ROLLED_BACK_AND_IN_DOUBT -> {
                transaction.inDoubt();
                witness.settle(transaction);
            }
            case MISPLACED -> {
                transaction.mismatched();
                witness.settle(transaction);
            }
        }
    }

    private static void retry(HeapNode node, FakeDatabase witness, int operation) {
        Admission admission = node.scope(scope(operation)).admit(id(operation));
        if (admission instanceof Claim claim) {
            WitnessedTransaction transaction = node.database.transaction(claim);
            assertThat(witness.commit(transaction)).isTrue();
            transaction.committed();
        } else {
            assertThat(admission).isEqualTo(Refusal.APPLIED);
        }
    }

    private static Claim claim(HeapNode node, int operation) {
        return (Claim) node.scope(scope(operation)).admit(id(operation));
    }

    private static String scope(int operation) {
        return SCOPES.get(operation % SCOPES.size());
    }

    private static OperationId id(int operation) {
        return new OperationId(operation, 5);
    }
}
