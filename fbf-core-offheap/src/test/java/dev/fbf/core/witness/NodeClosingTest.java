package dev.fbf.core.witness;

import static dev.fbf.core.witness.NodeLives.PLAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.Threads;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A node that is closed while operations are being applied, and the next node of its directory in the same process. */
@Timeout(60)
class NodeClosingTest {

    private static final OperationId A = new OperationId(1, 1);
    private static final OperationId B = new OperationId(2, 2);

    private final FakeDatabase witness = new FakeDatabase();

    @TempDir
    private Path temporary;

    private final AtomicReference<Node> current = new AtomicReference<>();

    static Stream<Consumer<WitnessedTransaction>> ends() {
        return Stream.of(
                WitnessedTransaction::committed,
                WitnessedTransaction::rolledBack,
                WitnessedTransaction::inDoubt,
                WitnessedTransaction::mismatched);
    }

    @ParameterizedTest
    @MethodSource("ends")
    void keepsItsDirectoryUntilTheLastTransactionHasEnded(Consumer<WitnessedTransaction> end) {
        Node node = open(3);
        WitnessedTransaction first = begin(node, A);
        WitnessedTransaction last = begin(node, B);

        node.close();
        first.rolledBack();
        assertKeepsItsDirectory();
        end.accept(last);

        open(3).close();
    }

    static Stream<Consumer<WitnessedTransaction>> lateResponses() {
        return Stream.of(
                transaction -> assertThat(transaction.settled(false, ~transaction.next()))
                        .isFalse(),
                transaction -> assertThat(transaction.settled(true, transaction.next()))
                        .isFalse(),
                transaction -> assertThat(transaction.unresolved(42)).isFalse(),
                transaction -> assertThat(transaction.decide(false)).isFalse(),
                transaction -> assertThat(transaction.decide(true)).isFalse());
    }

    /** The next node has the slot by then, and its record. */
    @ParameterizedTest
    @MethodSource("lateResponses")
    void writesNothingForATransactionInDoubtOnceTheNextNodeHasItsDirectory(Consumer<WitnessedTransaction> response) {
        Node node = open(1);
        WitnessedTransaction old = begin(node, A);
        old.inDoubt();
        node.close();
        try (Node next = open(1)) {
            next.scope("views", PLAN);
            assertThat(next.database("main").settleable()).hasSize(1).allMatch(witness::settle);
            WitnessedTransaction transaction = begin(next, B);
            assertThat(transaction.slot()).isEqualTo(old.slot());

            response.accept(old);

            transaction.inDoubt();
        }
        try (Node afterNext = open(1)) {
            afterNext.scope("views", PLAN);
            assertThat(afterNext.database("main").settleable())
                    .singleElement()
                    .satisfies(left -> assertThat(left.operations()).containsExactly(B));
        }
    }

    @Test
    void opensNoDatabaseOnceItIsClosedSinceTheNextNodeHasItsFiles() {
        Node node = open(1);
        node.close();

        assertThatIllegalStateException()
                .isThrownBy(() -> node.database("late"))
                .withMessage("the node was closed");
    }

    @Test
    void doesNothingWhenItIsClosedAgain() {
        Node node = open(1);
        node.close();
        try (Node next = open(1)) {
            next.scope("views", PLAN);

            node.close();

            assertKeepsItsDirectory();
            assertThat(next.scope("views", PLAN).admit(A, null)).isInstanceOf(Claim.class);
        }
    }

    @Test
    void appliesEachOperationOnceThoughNodesAreClosedWhileItIsApplied() throws Exception {
        int threads = 4;
        int operations = 300;
        current.set(open(threads));
        Threads.run(threads + 1, thread -> {
            if (thread == threads) {
                for (int life = 0; life < 20; life++) {
                    current().close();
                    current.set(openWhenFree(threads));
                }
                return;
            }
            for (int operation = 0; operation < operations; operation++) {
                retryUntilApplied(new OperationId(operation, 7));
            }
        });
        current().close();

        for (int operation = 0; operation < operations; operation++) {
            assertThat(witness.timesApplied(new OperationId(operation, 7)))
                    .as("operation %d", operation)
                    .isEqualTo(1);
        }
    }

    private void retryUntilApplied(OperationId id) {
        for (; ; ) {
            Node node = current();
            Admission admission;
            WitnessedTransaction transaction = null;
            try {
                ScopeClaims scope = node.scope("views", PLAN);
                WitnessedDatabase database = database(node);
                admission = scope.admit(id, null);
                if (admission instanceof Claim claim) {
                    transaction = database.transaction(claim);
                }
            } catch (IllegalStateException e) {
                continue; // it was closed before its filter was opened or asked
            }
            if (transaction != null) {
                boolean committed;
                synchronized (witness) {
                    committed = witness.commit(transaction);
                }
                if (committed) {
                    transaction.committed();
                } else {
                    transaction.mismatched();
                    synchronized (witness) {
                        witness.settle(transaction);
                    }
                }
            } else if (admission == Refusal.APPLIED) {
                return;
            }
        }
    }

    private Node current() {
        return Objects.requireNonNull(current.get());
    }

    private Node openWhenFree(int maxClaims) {
        for (; ; ) {
            try {
                return open(maxClaims);
            } catch (StorageException e) {
                assertThat(e).hasMessageContaining("is in use by this process");
                Thread.onSpinWait();
            }
        }
    }

    private void assertKeepsItsDirectory() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> open(1))
                .withMessageContaining("is in use by this process");
    }

    private Node open(int maxClaims) {
        return Node.open(temporary, maxClaims, false);
    }

    private WitnessedTransaction begin(Node node, OperationId id) {
        return database(node).transaction(claim(node, id));
    }

    private static Claim claim(Node node, OperationId id) {
        return (Claim) node.scope("views", PLAN).admit(id, null);
    }

    private WitnessedDatabase database(Node node) {
        WitnessedDatabase database = node.database("main");
        if (!database.isReady()) {
            synchronized (witness) {
                database.setTokens(database.tokens(), witness.tokens());
            }
        }
        return database;
    }
}
