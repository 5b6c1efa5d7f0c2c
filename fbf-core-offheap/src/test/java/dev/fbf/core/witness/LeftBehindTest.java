package dev.fbf.core.witness;

import static dev.fbf.core.witness.NodeLives.PLAN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.AnotherBoot;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with claims that the previous process left behind. */
class LeftBehindTest {

    private static final int MAX_CLAIMS = 4;
    private static final OperationId A = new OperationId(1, 1);
    private static final OperationId B = new OperationId(2, 2);
    private static final OperationId C = new OperationId(3, 3);

    private final FakeDatabase witness = new FakeDatabase();

    @TempDir
    private Path temporary;

    private NodeLives lives;

    @BeforeEach
    void begin() {
        lives = new NodeLives(temporary);
    }

    @AfterEach
    void close() {
        lives.close();
    }

    /** Else the next version would not find them. */
    @Test
    void hasTheSameRowsInEachVersion() {
        WitnessedDatabase database = database(HeapClaims.of(1));

        assertThat(database.witness()).isEqualTo(new UUID(1, 0x7c8542089a4bf8bbL));
        assertThat(database.name()).isEqualTo("main");
    }

    /** The file of the claims has no requests. */
    @Test
    void takesARetryOfWhatWasInDoubtForTheSameRequest() throws IOException {
        FilterSizing asked = PLAN.stated();
        FilterPlan plan = new FilterSizing(
                        asked.expectedOperationsPerSecond(),
                        asked.retryWindow(),
                        asked.falsePositiveProbability(),
                        FilterSizing.UNLIMITED,
                        true)
                .plan();
        Node node = lives.open(MAX_CLAIMS);
        node.scope("views", plan);
        witness.commit(transaction(node, "main", "views", A));
        Node next = lives.killAndOpen(MAX_CLAIMS);
        ScopeClaims views = next.scope("views", plan);
        next.database("main").settleable().forEach(witness::settle);

        assertThat(views.admit(A, null)).isEqualTo(Refusal.APPLIED);
        assertThat(views.filter().isOfAnotherRequest(A, 7)).isFalse();
    }

    @Test
    void isRecoveringUntilEachTransactionWasAskedAbout() throws IOException {
        Node node = lives.open(MAX_CLAIMS);
        WitnessedTransaction first = transaction(node, "main", "views", A);
        transaction(node, "main", "views", B);
        witness.commit(first);
        Node next = lives.killAndOpen(MAX_CLAIMS);
        ScopeClaims views = next.scope("views", PLAN);
        WitnessedDatabase database = next.database("main");
        assertThat(database.isRecovered())
                .as("recovered before the tokens were read")
                .isFalse();
        database.setTokens(database.tokens(), witness.tokens());

        assertThat(views.admit(C, null)).isEqualTo(Refusal.RECOVERING);
        List<WitnessedTransaction> left = List.copyOf(database.settleable());
        assertThat(left).hasSize(2).allMatch(WitnessedTransaction::isLeftBehind);
        witness.settle(left.get(0));
        assertThat(views.admit(C, null)).isEqualTo(Refusal.RECOVERING);
        assertThat(database.isRecovered()).isFalse();
        witness.settle(left.get(1));

        assertThat(database.isRecovered()).isTrue();
        assertThat(views.admit(A, null)).isEqualTo(Refusal.APPLIED);
        assertThat(views.admit(B, null)).isInstanceOf(Claim.class);
        assertThat(next.scope("likes", PLAN).admit(C, null)).isInstanceOf(Claim.class);
    }

    /** A power failure can bring back the record of a transaction that has long ended. */
    @Test
    void leavesItToAnOperatorAfterAPowerFailure() throws IOException {
        transaction(lives.open(MAX_CLAIMS), "main", "views", A);
        witness.setToken(0, 42);
        AnotherBoot.of(lives.directory());
        Node next = lives.killAndOpen(MAX_CLAIMS);
        ScopeClaims views = next.scope("views", PLAN);
        WitnessedTransaction left =
                next.database("main").settleable().iterator().next();
        next.database("main").setTokens(next.database("main").tokens(), witness.tokens());

        assertThat(left.unresolved(42)).isFalse();
        assertThat(left.unresolved(42)).isFalse();

        assertThat(next.database("main").isRecovered()).isTrue();
        assertThat(views.admit(A, null)).isEqualTo(Refusal.IN_DOUBT);
        assertThat(views.admit(B, null)).isInstanceOf(Claim.class);
        assertThat(left.decide(false)).isTrue();
        assertThat(views.admit(A, null)).isInstanceOf(Claim.class);
    }

    @Test
    void leavesATransactionAloneUntilAllItsScopesAreOpen() throws IOException {
        Node node = lives.open(MAX_CLAIMS);
        WitnessedTransaction transaction = transaction(node, "main", "views", A);
        transaction.add((Claim) node.scope("likes", PLAN).admit(B, null));
        witness.commit(transaction);
        Node next = lives.killAndOpen(MAX_CLAIMS);
        ScopeClaims views = next.scope("views", PLAN);
        WitnessedDatabase database = next.database("main");
        assertThat(database.inDoubt()).isEqualTo(1);
        assertThat(database.settleable()).isEmpty();
        assertThat(views.admit(C, null)).isEqualTo(Refusal.RECOVERING);
        AtomicInteger told = new AtomicInteger();
        database.onSettleable(told::incrementAndGet);

        ScopeClaims likes = next.scope("likes", PLAN);

        assertThat(told).hasValue(1);
        assertThat(database.settleable()).hasSize(1).allMatch(witness::settle);
        assertThat(views.admit(A, null)).isEqualTo(Refusal.APPLIED);
        assertThat(likes.admit(B, null)).isEqualTo(Refusal.APPLIED);
        assertThat(likes.admit(A, null)).isInstanceOf(Claim.class);
    }

    private static WitnessedDatabase database(RecordedClaims claims) {
        return new WitnessedDatabase("main", new UUID(1, 1), claims, 1, () -> 5);
    }

    @Test
    void keepsTheClaimsOfADatabaseThatIsNotOpen() throws IOException {
        Node node = lives.open(MAX_CLAIMS);
        witness.commit(transaction(node, "main", "views", A, B));
        Node next = lives.killAndOpen(MAX_CLAIMS);
        ScopeClaims views = next.scope("views", PLAN);
        WitnessedDatabase other = next.database("other");
        other.setTokens(other.tokens(), witness.tokens());
        Set<Integer> slots = new HashSet<>();

        assertThat(next.leftInUnopenedDatabases()).isEqualTo(2);
        assertThat(next.held()).isEqualTo(2);
        assertThat(views.admit(A, null)).isEqualTo(Refusal.IN_PROGRESS);
        for (int i = 0; i < 3 * MAX_CLAIMS; i++) {
            WitnessedTransaction transaction = other.transaction((Claim) views.admit(new OperationId(i, 9), null));
            slots.add(transaction.slot());
            transaction.committed();
        }
        assertThat(slots).hasSize(MAX_CLAIMS - 2);

        Node afterNext = lives.killAndOpen(MAX_CLAIMS);
        settleAll(afterNext, "main", "views");
        assertThat(afterNext.leftInUnopenedDatabases()).isZero();
        assertThat(afterNext.held()).isZero();
        assertThat(afterNext.scope("views", PLAN).admit(A, null)).isEqualTo(Refusal.APPLIED);
        assertThat(afterNext.scope("views", PLAN).admit(B, null)).isEqualTo(Refusal.APPLIED);
    }

    /** String.hashCode() is the same for both. */
    @Test
    void tellsNamesApartThatJavaHashesAlike() throws IOException {
        Node node = lives.open(MAX_CLAIMS);
        WitnessedTransaction first = transaction(node, "Aa", "Aa", A);
        WitnessedTransaction second = transaction(node, "BB", "BB", B);
        witness.commit(first);
        assertThat(second.slot()).isNotEqualTo(first.slot());

        Node next = lives.killAndOpen(MAX_CLAIMS);
        settleAll(next, "Aa", "Aa");
        settleAll(next, "BB", "BB");

        assertThat(next.scope("Aa", PLAN).admit(A, null)).isEqualTo(Refusal.APPLIED);
        assertThat(next.scope("BB", PLAN).admit(B, null)).isInstanceOf(Claim.class);
    }

    @Test
    void settlesWhatIsBeyondTheEndWhenFewerClaimsAreAllowedNow() throws IOException {
        Node node = lives.open(MAX_CLAIMS);
        for (OperationId id : List.of(A, B, C, new OperationId(4, 4))) {
            witness.commit(transaction(node, "main", "views", id));
        }
        Node next = lives.killAndOpen(1);
        ScopeClaims views = next.scope("views", PLAN);
        assertThat(next.held()).isEqualTo(MAX_CLAIMS);

        settleAll(next, "main", "views");

        assertThat(next.held()).isZero();
        for (OperationId id : List.of(A, B, C, new OperationId(4, 4))) {
            assertThat(views.admit(id, null)).isEqualTo(Refusal.APPLIED);
        }
        assertThat(views.admit(new OperationId(5, 5), null)).isInstanceOf(Claim.class);
        assertThat(views.admit(new OperationId(6, 6), null)).isEqualTo(Refusal.NO_ROOM);
        assertThat(lives.killAndOpen(1).held()).isZero();
    }

    @Test
    void asksOnlyAboutTheLastOfTwoTransactionsThatAPowerLossBroughtBackInOneSlot() {
        Entry ended = new Entry(1, A, 1, 1, 0, 10, 11, 1_000);
        Entry last = new Entry(0, B, 1, 1, 0, 11, 12, 1_000);
        Entry alone = new Entry(2, C, 1, 1, 2, 10, 9, 1);

        assertThat(left(ended, last, alone)).containsExactlyInAnyOrder(last, alone);
    }

    @Test
    void asksOnlyAboutTheLastOfTwoTransactionsThatAPowerLossBroughtBackWithOneOperation() {
        Entry last = new Entry(0, A, 1, 1, 0, 10, 11, 1_001);
        Entry alsoLast = new Entry(1, B, 1, 1, 0, 10, 11, 999);
        Entry ended = new Entry(2, A, 1, 1, 2, 5, 6, 1_000);

        assertThat(left(last, alsoLast, ended)).containsExactlyInAnyOrder(last, alsoLast);
    }

    /** The records that are left, which are all that the file keeps. */
    private static List<Entry> left(Entry... entries) {
        ClaimRecords records = HeapClaims.records(3);
        List.of(entries).forEach(records::write);
        List<Entry> left = records.leftBehind();
        assertThat(records.entries()).containsExactlyInAnyOrderElementsOf(left);
        return left;
    }

    private WitnessedTransaction transaction(
            Node node, String databaseName, String scope, OperationId first, OperationId... more) {
        WitnessedDatabase database = node.database(databaseName);
        if (!database.isReady()) {
            database.setTokens(database.tokens(), witness.tokens());
        }
        ScopeClaims claims = node.scope(scope, PLAN);
        WitnessedTransaction transaction = database.transaction((Claim) claims.admit(first, null));
        for (OperationId id : more) {
            transaction.add((Claim) claims.admit(id, null));
        }
        return transaction;
    }

    private void settleAll(Node node, String database, String scope) {
        node.scope(scope, PLAN);
        assertThat(node.database(database).settleable()).isNotEmpty().allMatch(witness::settle);
    }
}
