package dev.fbf.core.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.filter.FilterInWords;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that dies, or whose stores have no effect as on a full disk: at each store that it makes for a transaction. */
class LostStoresTest {

    private static final int MAX_CLAIMS = 4;
    private static final int ALL = Integer.MAX_VALUE;
    private static final List<String> SCOPES = List.of("views", "likes");

    /** How a transaction ends in the database, and how much of that its process knows. */
    private enum End {
        COMMITTED,
        COMMITTED_AND_IN_DOUBT,
        COMMITTED_AND_DECIDED,
        COMMITTED_LATE,
        ROLLED_BACK,
        ROLLED_BACK_AND_IN_DOUBT,
        UNDONE,
        WITHDRAWN,
        MISPLACED
    }

    /** Before the end, as far as the process gets. */
    private static final Set<End> COMMITTED =
            EnumSet.of(End.COMMITTED, End.COMMITTED_AND_IN_DOUBT, End.COMMITTED_AND_DECIDED, End.UNDONE);

    private enum Fault {
        THE_PROCESS_DIES,
        ONE_STORE_IS_LOST,
        ALL_FURTHER_STORES_ARE_LOST
    }

    private final Words claims = new HeapWords(ClaimLayout.words(MAX_CLAIMS));
    private final Map<String, Words> filters =
            SCOPES.stream().collect(Collectors.toMap(scope -> scope, scope -> new HeapWords(FilterInWords.size())));
    private final FakeDatabase witness = new FakeDatabase();
    private final List<FakeDatabase.Commit> late = new ArrayList<>();

    @ParameterizedTest
    @EnumSource
    void appliesEachOperationOnceAtWhicheverStoreItHappens(Fault fault) {
        for (End end : End.values()) {
            int store = 0;
            while (new LostStoresTest().happens(end, fault, store)) {
                store++;
            }
            assertThat(store).as("stores of %s", end).isGreaterThanOrEqualTo(3 * ClaimLayout.RECORD_WORDS);
        }
    }

    /** Returns whether there was such a store. */
    private boolean happens(End end, Fault fault, int store) {
        boolean deadly = fault == Fault.THE_PROCESS_DIES;
        int until = fault == Fault.ONE_STORE_IS_LOST ? store + 1 : ALL;
        Stores stores = deadly ? Stores.until(store) : Stores.without(store, until);
        String when = end + ", " + fault + " at store " + store;
        HeapNode.initialize(claims, MAX_CLAIMS, filters.values());
        boolean dies = false;
        try {
            HeapNode node = start(stores::of);
            apply(node, end);
            for (int i = 0; i < 4; i++) {
                retry(node, i);
            }
            // one alone may be repeated, or be of the value that was there
            if (fault == Fault.ALL_FURTHER_STORES_ARE_LOST) {
                assertThat(node.claims.failure() != null).as(when).isEqualTo(stores.count() > store);
            }
        } catch (Death e) {
            dies = true;
        }

        HeapNode next = start(UnaryOperator.identity());
        SCOPES.forEach(next::scope);
        assertThat(next.database.settleable()).as(when).allMatch(witness::settle);
        late.forEach(witness::commit);
        for (int i = 0; i < 4; i++) {
            retry(next, i);
            assertThat(next.scope(scope(i)).admit(id(i))).as(when).isEqualTo(Refusal.APPLIED);
            assertThat(witness.timesApplied(id(i))).as(when).isEqualTo(1);
        }
        assertThat(next.claims.held()).as(when).isZero();
        assertThat(next.written()).as(when).isEmpty();
        return deadly ? dies : stores.count() > store;
    }

    private HeapNode start(UnaryOperator<Words> view) {
        return new HeapNode(
                view.apply(claims),
                filters.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, filter -> view.apply(filter.getValue()))),
                MAX_CLAIMS,
                witness);
    }

    /** Does what a database's access does. */
    private void apply(HeapNode node, End end) {
        WitnessedTransaction transaction = null;
        try {
            transaction = node.database.transaction(claim(node, 0));
            transaction.add(claim(node, 1));
            transaction.add(claim(node, 2));
            if (end == End.UNDONE) {
                WitnessedTransaction begun = transaction;
                caught(() -> begun.undoAfter(1));
            }
            transaction.beforeCommit();
            if (COMMITTED.contains(end)) {
                witness.commit(transaction);
            }
        } catch (StorageException e) {
            if (transaction != null) {
                transaction.rolledBack();
            }
            return;
        }
        switch (end) {
            case COMMITTED, UNDONE -> transaction.committed();
            case ROLLED_BACK -> transaction.rolledBack();
            case COMMITTED_AND_IN_DOUBT, ROLLED_BACK_AND_IN_DOUBT -> {
                transaction.inDoubt();
                witness.settle(transaction);
            }
            case COMMITTED_AND_DECIDED -> {
                WitnessedTransaction inDoubt = transaction;
                inDoubt.inDoubt();
                caught(() -> inDoubt.decide(true));
            }
            case COMMITTED_LATE -> {
                late.add(FakeDatabase.Commit.of(transaction));
                transaction.inDoubt();
                witness.settle(transaction);
            }
            case WITHDRAWN -> {
                WitnessedTransaction begun = transaction;
                caught(() -> begun.withdraw().forEach(Claim::rolledBack));
            }
            case MISPLACED -> {
                transaction.mismatched();
                witness.settle(transaction);
            }
        }
    }

    /** A program may catch what its rollback to a savepoint, a withdrawal, or an operator's decision throws. */
    private static void caught(Runnable end) {
        try {
            end.run();
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
        HeapNode node = start(Stores.without(0, ALL)::of);
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
        HeapNode node = start(Stores.without(0, ALL)::of);

        retry(node, 0);

        assertThat(node.claims.held()).isZero();
        assertThat(node.claims.gate.inside()).isZero();
    }
}
