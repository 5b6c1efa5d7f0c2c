package dev.fbf.db.witness;

import static dev.fbf.db.group.GroupCommitContract.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.AfterPowerFailure;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.Counters;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.Recovery;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.group.GroupCommitContract.Outcome.Applied;
import dev.fbf.db.group.GroupCommitContract.Outcome.Refused;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.group.TestClaims;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class WitnessStoreTest {

    private static final Duration LONG = Duration.ofSeconds(10);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    @TempDir
    private Path directory;

    private Node node;
    private ScopeClaims claims;
    private WitnessedDatabase witnessed;
    private WitnessStore store;

    @BeforeEach
    void open() {
        node = Node.open(directory, 4, AfterPowerFailure.WARN);
        claims = node.scope(
                "scope", new FilterSizing(10, Duration.ofSeconds(50), 1e-9, FilterSizing.UNLIMITED, true).plan());
        witnessed = node.database("witnessed");
        store = open(FbfDatabase.TABLES);
    }

    private WitnessStore open(FbfSchema schema) {
        return new WitnessStore(
                StrangeConnections.dataSource(database::connect), schema, witnessed, true, failure -> {});
    }

    @AfterEach
    void close() {
        store.close();
        node.close();
    }

    @Test
    void isReadyOnceItIsStartedAndHasReadTheTokens() {
        assertThat(store.isReady()).isFalse();

        store.start();
        store.awaitRecovered(LONG);

        assertThat(store.isReady()).isTrue();
        assertThat(store.recovery()).isEqualTo(Recovery.NONE);
    }

    @Test
    void findsOutThatItsTableIsNotThere() throws SQLException {
        store.check(database.connect());

        try (WitnessStore elsewhere = open(FbfSchema.in("elsewhere"))) {
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> elsewhere.check(database.connect()));
        }
    }

    @Test
    void tellsTheRequestOfAnOperationFromAnotherOne() {
        Claim claim = claim("a");
        store.recordRequest(claim, 42);
        claim.applied();

        assertThat(store.recognizes(id("a"), 42, claims.filter())).isTrue();
        assertThat(store.recognizes(id("a"), 43, claims.filter())).isFalse();
    }

    @Test
    void namesARequestInTheFilterAsTheFilesOfEarlierVersionsHaveIt() {
        OperationId operation = new OperationId(0b1100, 0b1010);
        claims.filter().put(operation);
        claims.filter().putRequest(new OperationId(0b1100 ^ 0b0110, ~0b1010));

        assertThat(store.recognizes(operation, 0b0110, claims.filter())).isTrue();
        assertThat(store.recognizes(operation, 0b0111, claims.filter())).isFalse();
    }

    @Test
    void appliesInGroupsUntilItIsClosed() throws SQLException {
        store.start();
        store.awaitRecovered(LONG);
        Counters counters = store.counters(FbfDatabase.COUNTERS);
        assertThat(told(counters.apply(claim("a"), null, "home", 2, LONG))).isEqualTo(new Applied(2));
        assertThat(threads("fbf-settle-witnessed")).isOne();

        store.close();

        assertThat(told(counters.apply(claim("b"), null, "home", 1, LONG))).isEqualTo(new Refused(Refusal.STOPPED));
        while (threads("fbf-settle-witnessed") + threads("fbf-group-witnessed") > 0
                && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .count();
    }

    @Test
    void tellsWhenATransactionInDoubtIsSettled() throws Exception {
        store.start();
        store.awaitRecovered(LONG);
        CompletableFuture<Duration> inDoubtFor = new CompletableFuture<>();
        store.onSettled(inDoubtFor::complete);
        Claim claim = claim("a");
        WitnessedTransaction transaction = witnessed.transaction(claim);

        transaction.inDoubt();

        assertThat(inDoubtFor.get()).isPositive();
        assertThat(store.inDoubt()).isEmpty();
        assertThat(store.awaitSettled(inDoubt(claim, transaction), LONG)).isNull();
    }

    @Test
    void anOperationStaysInDoubtUntilItsTransactionIsSettled() {
        witnessed.setTokens(witnessed.tokens(), Map.of());
        Claim claim = claim("a");
        WitnessedTransaction transaction = witnessed.transaction(claim);
        GroupedIncrement unknown = inDoubt(claim, transaction);
        transaction.inDoubt();
        assertThat(store.inDoubt()).containsExactly(transaction);
        assertThat(store.awaitSettled(unknown, Duration.ZERO)).isEqualTo(Refusal.IN_DOUBT);
        assertThat(store.awaitSettled(inDoubt(claim, null), LONG)).isEqualTo(Refusal.IN_DOUBT);

        transaction.settled(true, transaction.next());

        assertThat(store.awaitSettled(unknown, LONG)).isEqualTo(Refusal.APPLIED);
    }

    private static GroupedIncrement inDoubt(Claim claim, @Nullable WitnessedTransaction transaction) {
        GroupedIncrement increment = TestClaims.increment(claim, "home", 1);
        increment.done(null, Refusal.IN_DOUBT, null, transaction);
        return increment;
    }

    private Claim claim(String key) {
        return (Claim) claims.admit(id(key));
    }

    private static OperationId id(String key) {
        return OperationId.of("scope", "", key);
    }
}
