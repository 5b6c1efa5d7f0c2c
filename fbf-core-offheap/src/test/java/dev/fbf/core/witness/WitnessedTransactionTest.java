package dev.fbf.core.witness;

import static dev.fbf.core.witness.NodeLives.PLAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WitnessedTransactionTest {

    private static final int MAX_CLAIMS = 4;
    private static final OperationId A = new OperationId(1, 1);
    private static final OperationId B = new OperationId(2, 2);
    private static final OperationId C = new OperationId(3, 3);

    private final FakeDatabase witness = new FakeDatabase();

    @TempDir
    private Path temporary;

    private NodeLives lives;
    private Node node;
    private ScopeClaims views;
    private WitnessedDatabase database;
    private long others;

    @BeforeEach
    void open() {
        lives = new NodeLives(temporary);
        node = lives.open(MAX_CLAIMS);
        views = node.scope("views", PLAN);
        database = node.database("main");
        database.setTokens(database.tokens(), witness.tokens());
    }

    @AfterEach
    void close() {
        lives.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endsItsClaimsWhenItIsSettled(boolean committed) {
        WitnessedTransaction transaction = begin(A);
        if (committed) {
            witness.commit(transaction);
        }
        transaction.inDoubt();

        assertThat(witness.settle(transaction)).isTrue();

        assertThat(transaction.isCommitted()).isEqualTo(committed);
        assertThat(database.inDoubt()).isZero();
        assertThat(node.held()).isZero();
        assertThat(views.admit(A, null) == Refusal.APPLIED).isEqualTo(committed);
    }

    @Test
    void givesItsClaimsBackWhenItIsWithdrawn() throws Exception {
        WitnessedTransaction transaction = begin(A, B);

        List<Claim> claims = transaction.withdraw();

        assertThat(claims).extracting(Claim::id).containsExactly(A, B);
        assertThat(claims).allMatch(Claim::isHeld);
        assertThat(views.admit(A, null)).isEqualTo(Refusal.IN_PROGRESS);
        assertThat(transaction.operations()).isEmpty();
        assertThatIllegalStateException().isThrownBy(transaction::committed);
        assertThatIllegalStateException().isThrownBy(transaction::withdraw);
        assertThat(lives.killAndOpen(MAX_CLAIMS).held()).isZero();
    }

    @Test
    void endsTheClaimsOfAllItsScopesAndWritesThemDownWithOneSlotAndOnePairOfTokens() throws Exception {
        Instant before = Instant.now().minusMillis(1);
        WitnessedTransaction transaction = database.transaction(claim(views, A));
        transaction.add(claim(node.scope("likes", PLAN), B));
        transaction.add(claim(views, C));
        assertThat(transaction.size()).isEqualTo(3);
        witness.commit(transaction);

        Node next = lives.killAndOpen(MAX_CLAIMS);
        ScopeClaims nextViews = next.scope("views", PLAN);
        ScopeClaims nextLikes = next.scope("likes", PLAN);

        assertThat(next.database("main").settleable()).singleElement().satisfies(left -> {
            assertThat(left.slot()).isEqualTo(transaction.slot());
            assertThat(left.previous()).isEqualTo(transaction.previous());
            assertThat(left.next()).isEqualTo(transaction.next());
            assertThat(left.operations()).containsExactlyInAnyOrder(A, B, C);
            assertThat(left.since()).isBetween(before, Instant.now());
            assertThat(witness.settle(left)).isTrue();
        });
        assertThat(nextViews.admit(A, null)).isEqualTo(Refusal.APPLIED);
        assertThat(nextLikes.admit(B, null)).isEqualTo(Refusal.APPLIED);
        assertThat(nextViews.admit(C, null)).isEqualTo(Refusal.APPLIED);
        assertThat(nextViews.admit(B, null)).as("of the other scope").isInstanceOf(Claim.class);
    }

    @Test
    void makesItsOperationsNewAgainWhenItsRowHasAnotherTokenButKeepsTheSlotUntilThatIsRead() {
        WitnessedTransaction transaction = begin(A, B);

        transaction.mismatched();

        assertThat(node.held()).as("the slot").isEqualTo(1);
        assertThat(transaction.operations()).isEmpty();
        assertThat(database.settleable()).containsExactly(transaction);
        assertNeverGivenOut(transaction.slot());
        assertThat(transaction.unresolved(42)).isTrue();
        assertThat(node.held()).isZero();
        assertThat(inSlot(transaction.slot()).previous()).isEqualTo(42);
        assertThat(views.lostCommits()).as("the row has forgotten a commit").isNotNull();
    }

    @Test
    void makesItsOperationsNewAgainWhenAnOperatorHasDecidedSo() {
        WitnessedTransaction transaction = begin(A);
        assertThat(transaction.decide(false)).as("while it is open").isFalse();
        transaction.inDoubt();

        assertThat(transaction.decide(false)).isTrue();

        assertThat(transaction.awaitSettled(Duration.ZERO)).isTrue();
        assertThat(transaction.isCommitted()).isFalse();
        assertThat(views.admit(A, null)).isInstanceOf(Claim.class);
        assertThat(transaction.decide(true)).as("a second decision").isFalse();
    }

    @Test
    void usesTheSlotAgainOnlyWhenItsRowWasReadAfterAnOperatorHasDecided() {
        WitnessedTransaction transaction = begin(A, B);
        transaction.inDoubt();
        witness.setToken(transaction.slot(), 42);
        AtomicInteger told = new AtomicInteger();
        database.onSettleable(told::incrementAndGet);
        transaction.decide(true);

        assertThat(told).as("times the listener heard of the slot").hasValue(1);
        assertThat(node.held()).as("the slot").isEqualTo(1);
        assertNeverGivenOut(transaction.slot());
        assertThat(witness.settle(transaction)).isTrue();
        assertThat(node.held()).isZero();
        assertThat(inSlot(transaction.slot()).previous()).isEqualTo(42);
    }

    @Test
    void refusesToEndTwice() {
        List<Consumer<WitnessedTransaction>> ends = List.of(
                WitnessedTransaction::committed,
                WitnessedTransaction::rolledBack,
                WitnessedTransaction::inDoubt,
                WitnessedTransaction::mismatched);
        List<String> states = List.of("COMMITTED", "ROLLED_BACK", "IN_DOUBT", "ROLLED_BACK_UNREAD");
        for (int first = 0; first < ends.size(); first++) {
            WitnessedTransaction transaction = begin(new OperationId(first, 100));
            ends.get(first).accept(transaction);
            String message = "slot=" + transaction.slot() + ": its transaction is " + states.get(first) + ", not OPEN";
            for (Consumer<WitnessedTransaction> second : ends) {
                assertRefused(() -> second.accept(transaction), message);
            }
            Claim claim = claim(views, C);
            assertRefused(() -> transaction.add(claim), message);
            claim.free();
        }
    }

    @Test
    void isSettledOnce() {
        WitnessedTransaction transaction = begin(A);
        assertThat(transaction.settled(true, 42)).as("while it is open").isFalse();
        transaction.inDoubt();

        assertThat(transaction.settled(false, 42)).isTrue();
        assertThat(transaction.settled(true, 43)).isFalse();
        assertThat(transaction.unresolved(43)).isFalse();

        assertThat(transaction.isCommitted()).isFalse();
        assertThat(inSlot(transaction.slot()).previous()).isEqualTo(42);
    }

    @Test
    void hasNoRoomWhenAllRecordsAreInDoubt() {
        List<WitnessedTransaction> inDoubt = new ArrayList<>();
        for (int i = 0; i < MAX_CLAIMS; i++) {
            inDoubt.add(begin(new OperationId(i, 50)));
            inDoubt.get(i).inDoubt();
        }
        assertThat(views.admit(A, null)).isEqualTo(Refusal.NO_ROOM);

        witness.settle(inDoubt.get(2));

        assertThat(begin(A).slot()).isEqualTo(inDoubt.get(2).slot());
        assertThat(views.admit(B, null)).isEqualTo(Refusal.NO_ROOM);
    }

    private WitnessedTransaction begin(OperationId first, OperationId... more) {
        WitnessedTransaction transaction = database.transaction(claim(views, first));
        for (OperationId id : more) {
            transaction.add(claim(views, id));
        }
        return transaction;
    }

    private static Claim claim(ScopeClaims scope, OperationId id) {
        return (Claim) scope.admit(id, null);
    }

    /** A new transaction in this slot, while nothing else is open. */
    private WitnessedTransaction inSlot(int slot) {
        for (; ; ) {
            WitnessedTransaction transaction = begin(new OperationId(others++, 200));
            if (transaction.slot() == slot) {
                return transaction;
            }
            transaction.rolledBack();
        }
    }

    private void assertNeverGivenOut(int slot) {
        for (int i = 0; i < 3 * MAX_CLAIMS; i++) {
            WitnessedTransaction other = begin(new OperationId(i, 300));
            assertThat(other.slot()).isNotEqualTo(slot);
            other.committed();
        }
    }

    private static void assertRefused(ThrowingCallable end, String message) {
        assertThatIllegalStateException().isThrownBy(end).withMessage(message);
    }
}
