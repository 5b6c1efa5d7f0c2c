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
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
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
    private static final Duration LONG = Duration.ofSeconds(20);
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

    @Test
    void leavesNothingBehindWhenItHasEnded() throws Exception {
        begin(A).committed();
        begin(B).rolledBack();

        Node next = lives.killAndOpen(MAX_CLAIMS);

        assertThat(next.held()).isZero();
        assertThat(next.scope("views", PLAN).admit(A)).isEqualTo(Refusal.APPLIED);
        assertThat(next.scope("views", PLAN).admit(B)).isInstanceOf(Claim.class);
        assertThat(next.database("main").inDoubt()).isZero();
    }

    @Test
    void isInDoubtUntilTheWitnessTellsThatItCommitted() {
        WitnessedTransaction transaction = begin(A);
        witness.commit(transaction);
        List<Duration> settled = new ArrayList<>();
        database.onSettled(settled::add);
        long began = System.nanoTime();
        transaction.inDoubt();
        assertThat(views.admit(A)).isEqualTo(Refusal.IN_DOUBT);
        assertThat(views.inDoubt()).isEqualTo(1);
        assertThat(database.settleable()).containsExactly(transaction);
        assertThat(transaction.isCommitted()).isFalse();
        assertThat(settled).isEmpty();

        assertThat(witness.settle(transaction)).isTrue();

        assertThat(settled)
                .singleElement()
                .satisfies(inDoubt ->
                        assertThat(inDoubt).isBetween(Duration.ZERO, Duration.ofNanos(System.nanoTime() - began)));
        assertThat(views.inDoubt()).isZero();
        assertThat(views.admit(A)).isEqualTo(Refusal.APPLIED);
        assertThat(transaction.isCommitted()).isTrue();
        assertThat(database.settleable()).isEmpty();
        assertThat(node.held()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tellsOfItsSettlementLast(boolean committed) {
        List<Object> found = new ArrayList<>();
        WitnessedTransaction transaction = begin(A);
        if (committed) {
            witness.commit(transaction);
        }
        database.onSettled(inDoubt -> {
            found.add(transaction.isCommitted());
            found.add(database.inDoubt());
            found.add(node.held());
            found.add(views.admit(A) == Refusal.APPLIED);
        });
        transaction.inDoubt();

        assertThat(witness.settle(transaction)).isTrue();

        assertThat(found).containsExactly(committed, 0, 0, committed);
    }

    @Test
    void isSettledWhateverItsListenersThrow() {
        WitnessedTransaction transaction = begin(A);
        witness.commit(transaction);
        List<Duration> settled = new ArrayList<>();
        database.onSettled(inDoubt -> {
            throw new IllegalArgumentException("mine");
        });
        database.onSettled(settled::add);
        transaction.inDoubt();

        assertThat(witness.settle(transaction)).isTrue();

        assertThat(settled).hasSize(1);
        assertThat(views.admit(A)).isEqualTo(Refusal.APPLIED);
        assertThat(database.settleable()).isEmpty();
    }

    @Test
    void givesItsClaimsBackWhenItIsWithdrawn() throws Exception {
        WitnessedTransaction transaction = begin(A, B);

        List<Claim> claims = transaction.withdraw();

        assertThat(claims).extracting(Claim::id).containsExactly(A, B);
        assertThat(claims).allMatch(Claim::isHeld);
        assertThat(views.admit(A)).isEqualTo(Refusal.IN_PROGRESS);
        assertThat(transaction.operations()).isEmpty();
        assertThatIllegalStateException().isThrownBy(transaction::committed);
        assertThatIllegalStateException().isThrownBy(transaction::withdraw);
        assertThat(lives.killAndOpen(MAX_CLAIMS).held()).isZero();
    }

    @Test
    void claimsThatWereWithdrawnBeginOthersInTheSameSlotOrEnd() {
        WitnessedTransaction withdrawn = begin(A, B);
        List<Claim> claims = withdrawn.withdraw();

        WitnessedTransaction next = database.transaction(claims.get(0));
        claims.get(1).free();

        assertThat(next.slot()).isEqualTo(withdrawn.slot());
        assertThat(next.previous()).isEqualTo(withdrawn.previous());
        assertThat(next.next()).isNotEqualTo(withdrawn.next());
        assertThat(witness.commit(next)).isTrue();
        next.committed();
        assertThat(views.admit(A)).isEqualTo(Refusal.APPLIED);
        assertThat(views.admit(B)).isInstanceOf(Claim.class);
        assertThat(node.held()).isEqualTo(1);
    }

    @Test
    void notifiesTheListenerThatItIsInDoubt() {
        AtomicInteger told = new AtomicInteger();
        database.onSettleable(told::incrementAndGet);
        begin(A).committed();
        assertThat(told).hasValue(0);

        begin(B).inDoubt();

        assertThat(told).hasValue(1);
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
        assertThat(nextViews.admit(A)).isEqualTo(Refusal.APPLIED);
        assertThat(nextLikes.admit(B)).isEqualTo(Refusal.APPLIED);
        assertThat(nextViews.admit(C)).isEqualTo(Refusal.APPLIED);
        assertThat(nextViews.admit(B)).as("of the other scope").isInstanceOf(Claim.class);
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
    void leavesItToAnOperatorWhenTheWitnessCannotTell() {
        WitnessedTransaction transaction = begin(A);
        transaction.inDoubt();
        witness.setToken(transaction.slot(), 42);

        assertThat(witness.settle(transaction)).isFalse();

        assertThat(views.admit(A)).isEqualTo(Refusal.IN_DOUBT);
        assertThat(transaction.decide(true)).isTrue();
        assertThat(views.admit(A)).isEqualTo(Refusal.APPLIED);
        assertThat(transaction.isCommitted()).isTrue();
        assertThat(transaction.decide(false)).as("a second decision").isFalse();
    }

    @Test
    void makesItsOperationsNewAgainWhenAnOperatorHasDecidedSo() {
        WitnessedTransaction transaction = begin(A);
        assertThat(transaction.decide(false)).as("while it is open").isFalse();
        transaction.inDoubt();

        assertThat(transaction.decide(false)).isTrue();

        assertThat(transaction.awaitSettled(Duration.ZERO)).isTrue();
        assertThat(transaction.isCommitted()).isFalse();
        assertThat(views.admit(A)).isInstanceOf(Claim.class);
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
    void staysAsAnOperatorHasDecidedWhenTheWitnessTellsLater() {
        WitnessedTransaction transaction = begin(A);
        transaction.inDoubt();
        transaction.decide(true);

        assertThat(witness.settle(transaction)).isTrue();

        assertThat(transaction.isCommitted()).isTrue();
        assertThat(views.admit(A)).isEqualTo(Refusal.APPLIED);
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
    void refusesAClaimThatHasEndedOrIsOfAnotherTransaction() {
        WitnessedTransaction transaction = begin(A);
        Claim ended = claim(views, B);
        ended.free();
        Claim taken = claim(views, C);
        transaction.add(taken);

        assertThatIllegalStateException().isThrownBy(() -> transaction.add(ended));
        assertThatIllegalStateException().isThrownBy(() -> database.transaction(ended));
        assertThatIllegalStateException().isThrownBy(() -> transaction.add(taken));
        assertThatIllegalStateException().isThrownBy(taken::applied);
        assertThatIllegalStateException().isThrownBy(taken::free);
        assertThat(transaction.operations()).containsExactly(A, C);
    }

    @Test
    void refusesToBeginBeforeTheTokensWereRead() {
        WitnessedDatabase other = node.database("other");
        Claim claim = claim(views, A);

        assertThat(other.isReady()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> other.transaction(claim))
                .withMessage("database=other: the tokens of its witness were not read yet");
        other.setTokens(other.tokens(), witness.tokens());
        assertThat(other.isReady()).isTrue();
        assertThat(other.transaction(claim).operations()).containsExactly(A);
    }

    @Test
    void beginsWhereTheRowOfItsSlotStands() {
        WitnessedTransaction first = begin(A);
        assertThat(first.previous()).isEqualTo(WitnessedDatabase.NO_TOKEN);
        first.rolledBack();
        WitnessedTransaction second = inSlot(first.slot());
        assertThat(second.previous()).as("after a rollback").isEqualTo(WitnessedDatabase.NO_TOKEN);
        assertThat(second.next()).isNotEqualTo(first.next());
        second.committed();
        WitnessedTransaction third = inSlot(first.slot());
        assertThat(third.previous()).as("after a commit").isEqualTo(second.next());
        third.inDoubt();
        third.settled(false, ~third.next());
        assertThat(inSlot(first.slot()).previous()).as("after a fence").isEqualTo(~third.next());
    }

    @Test
    void beginsWhereTheRowsStoodWhenTheyWereRead() throws Exception {
        for (int slot = 0; slot < MAX_CLAIMS; slot++) {
            witness.setToken(slot, 1000 + slot);
        }
        witness.setToken(database.slots(), 1); // from when there was more room
        Node next = lives.killAndOpen(MAX_CLAIMS);
        next.database("main").setTokens(next.database("main").tokens(), witness.tokens());

        for (int i = 0; i < MAX_CLAIMS; i++) {
            Claim claim = claim(next.scope("views", PLAN), new OperationId(i, 9));
            WitnessedTransaction transaction = next.database("main").transaction(claim);
            assertThat(transaction.previous()).isEqualTo(1000 + transaction.slot());
        }
    }

    @Test
    void hasNoRoomWhenAllRecordsAreInDoubt() {
        List<WitnessedTransaction> inDoubt = new ArrayList<>();
        for (int i = 0; i < MAX_CLAIMS; i++) {
            inDoubt.add(begin(new OperationId(i, 50)));
            inDoubt.get(i).inDoubt();
        }
        assertThat(views.admit(A)).isEqualTo(Refusal.NO_ROOM);

        witness.settle(inDoubt.get(2));

        assertThat(begin(A).slot()).isEqualTo(inDoubt.get(2).slot());
        assertThat(views.admit(B)).isEqualTo(Refusal.NO_ROOM);
    }

    @Test
    void waitsUntilItIsSettled() throws Exception {
        WitnessedTransaction transaction = begin(A);
        transaction.inDoubt();
        assertThat(transaction.awaitSettled(Duration.ofMillis(1))).isFalse();
        assertThat(views.awaitSettled(A, Duration.ofMillis(1))).isFalse();

        assertThat(whileItWaits(() -> transaction.awaitSettled(LONG), () -> witness.settle(transaction)))
                .isTrue();
        assertThat(views.awaitSettled(A, Duration.ZERO)).isTrue();
    }

    @Test
    void endsItsWaitWhenTheThreadIsInterrupted() {
        WitnessedTransaction transaction = begin(A);
        transaction.inDoubt();

        Thread.currentThread().interrupt();
        assertThat(transaction.awaitSettled(LONG)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Returns what another thread waited for, which begins to wait before this happens. */
    private static boolean whileItWaits(Callable<Boolean> waits, Runnable happens) throws Exception {
        FutureTask<Boolean> waiting = new FutureTask<>(waits);
        Thread thread = new Thread(waiting);
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING && !waiting.isDone()) {
            Thread.onSpinWait();
        }
        assertThat(waiting).isNotDone();
        happens.run();
        return waiting.get();
    }

    private WitnessedTransaction begin(OperationId first, OperationId... more) {
        WitnessedTransaction transaction = database.transaction(claim(views, first));
        for (OperationId id : more) {
            transaction.add(claim(views, id));
        }
        return transaction;
    }

    private static Claim claim(ScopeClaims scope, OperationId id) {
        return (Claim) scope.admit(id);
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
