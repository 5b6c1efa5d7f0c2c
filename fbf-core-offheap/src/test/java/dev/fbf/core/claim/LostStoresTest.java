package dev.fbf.core.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.filter.FilterInWords;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process whose stores have no effect, as on a full disk: from each of the stores that it makes for a transaction on. */
class LostStoresTest {

    private static final int MAX_CLAIMS = 4;
    private static final int ALL = Integer.MAX_VALUE;
    private static final List<String> SCOPES = List.of("views", "likes");

    private enum End {
        COMMITTED,
        COMMITTED_AND_IN_DOUBT,
        ROLLED_BACK,
        UNDONE,
        WITHDRAWN,
        MISPLACED
    }

    private final Words claims = new HeapWords(ClaimLayout.words(MAX_CLAIMS));
    private final Map<String, Words> filters =
            SCOPES.stream().collect(Collectors.toMap(scope -> scope, scope -> new HeapWords(FilterInWords.size())));
    private final FakeDatabase witness = new FakeDatabase();

    @ParameterizedTest
    @EnumSource
    void appliesEachOperationOnceWhicheverStoreIsLost(End end) {
        losesEach(end, 1);
    }

    @ParameterizedTest
    @EnumSource
    void appliesEachOperationOnceWhicheverStoreIsTheLastThatIsKept(End end) {
        losesEach(end, ALL);
    }

    private static void losesEach(End end, int lost) {
        int first = 0;
        while (new LostStoresTest().loses(end, first, lost)) {
            first++;
        }
        assertThat(first).isGreaterThanOrEqualTo(3 * ClaimLayout.RECORD_WORDS);
    }

    /** Returns whether there was a store to lose. */
    private boolean loses(End end, int first, int lost) {
        HeapNode.initialize(claims, MAX_CLAIMS, filters.values());
        LostStores stores = new LostStores(first, lost == ALL ? ALL : first + lost);
        HeapNode node = start(stores);
        apply(node, end);
        for (int i = 0; i < 4; i++) {
            retry(node, i);
        }
        String when = end + ", " + lost + " stores lost from store " + first;
        if (lost == ALL) { // one alone may be repeated, or be of the value that was there
            assertThat(node.claims.failure() != null).as(when).isEqualTo(stores.count() > first);
        }

        HeapNode next = start(new LostStores(ALL, ALL));
        SCOPES.forEach(next::scope);
        assertThat(next.database.settleable()).as(when).allMatch(witness::settle);
        for (int i = 0; i < 4; i++) {
            retry(next, i);
            assertThat(next.scope(scope(i)).admit(id(i))).as(when).isEqualTo(Refusal.APPLIED);
            assertThat(witness.timesApplied(id(i))).as(when).isEqualTo(1);
        }
        assertThat(next.claims.held()).as(when).isZero();
        assertThat(next.written()).as(when).isEmpty();
        return stores.count() > first;
    }

    private HeapNode start(LostStores stores) {
        return new HeapNode(
                stores.of(claims),
                filters.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, filter -> stores.of(filter.getValue()))),
                MAX_CLAIMS,
                witness);
    }

    /** Does what a database's access does. */
    private void apply(HeapNode node, End end) {
        WitnessedTransaction transaction = null;
        boolean commits = end == End.COMMITTED || end == End.COMMITTED_AND_IN_DOUBT || end == End.UNDONE;
        try {
            transaction = node.database.transaction(claim(node, 0));
            transaction.add(claim(node, 1));
            transaction.add(claim(node, 2));
            if (end == End.UNDONE) {
                undo(transaction);
            }
            transaction.beforeCommit();
            commits = commits && witness.commit(transaction);
        } catch (StorageException e) {
            if (transaction != null) {
                transaction.rolledBack();
            }
            return;
        }
        switch (end) {
            case COMMITTED, UNDONE -> transaction.committed();
            case ROLLED_BACK -> transaction.rolledBack();
            case COMMITTED_AND_IN_DOUBT -> {
                transaction.inDoubt();
                witness.settle(transaction);
            }
            case WITHDRAWN -> withdraw(transaction);
            case MISPLACED -> {
                transaction.mismatched();
                witness.settle(transaction);
            }
        }
    }

    /** A program may catch what its rollback to a savepoint throws. */
    private static void undo(WitnessedTransaction transaction) {
        try {
            transaction.undoAfter(1);
        } catch (StorageException e) {
            assertThat(e).hasMessageContaining("Check the disk and its free space");
        }
    }

    private static void withdraw(WitnessedTransaction transaction) {
        try {
            transaction.withdraw().forEach(Claim::rolledBack);
        } catch (StorageException e) {
            assertThat(e).hasMessageContaining("Check the disk and its free space");
        }
    }

    private void retry(HeapNode node, int operation) {
        Admission admission = node.scope(scope(operation)).admit(id(operation));
        if (admission instanceof Claim claim) {
            @Nullable WitnessedTransaction transaction = null;
            try {
                transaction = node.database.transaction(claim);
                transaction.beforeCommit();
            } catch (StorageException e) {
                if (transaction != null) {
                    transaction.rolledBack();
                }
                return;
            }
            assertThat(witness.commit(transaction)).isTrue();
            transaction.committed();
        } else {
            assertThat(admission).isIn(Refusal.APPLIED, Refusal.FAILED);
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

    @Test
    void saysThatItStopsAndWhatToDo() {
        HeapNode.initialize(claims, MAX_CLAIMS, filters.values());
        HeapNode node = start(new LostStores(0, ALL));
        ScopeClaims views = node.scope("views");

        retry(node, 0);

        assertThat(node.claims.failure())
                .hasMessageStartingWith("A file of fbf failed, ")
                .hasMessageContaining(
                        "Check the disk and its free space, restore moved files, and restart the application");
        assertThat(views.admit(id(8))).isEqualTo(Refusal.FAILED);
        assertThat(node.scope("likes").admit(id(1)))
                .as("a scope that is opened later")
                .isEqualTo(Refusal.FAILED);
    }

    @Test
    void freesWhatNothingWasAppliedFor() {
        HeapNode.initialize(claims, MAX_CLAIMS, filters.values());
        HeapNode node = start(new LostStores(0, ALL));

        retry(node, 0);

        assertThat(node.claims.held()).isZero();
        assertThat(node.claims.gate().inside()).isZero();
    }
}
