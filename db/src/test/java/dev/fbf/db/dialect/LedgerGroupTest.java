package dev.fbf.db.dialect;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.dialect.TestDialect.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.Node;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupCommitContract;
import dev.fbf.db.group.GroupCommitContract.Outcome.Applied;
import dev.fbf.db.group.GroupCommitContract.Outcome.Failed;
import dev.fbf.db.group.GroupCommitContract.Outcome.Refused;
import dev.fbf.db.group.GroupCommitContract.Outcome.Unknown;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class LedgerGroupTest extends GroupCommitContract {

    @Override
    protected GroupCommit open(Node node, DataSource dataSource, boolean callersMayCommit, CounterTable counters) {
        return new GroupCommit("test", dataSource, callersMayCommit, counters, LEDGER.group(counters));
    }

    @Test
    void whatAnotherNodeHasAppliedIsADuplicateAndRemembered() throws Exception {
        TestNode other = new TestNode("b");
        GroupCommit others = other.groups(FbfDatabase.COUNTERS);
        node().add(group(), "key", "home", 1);

        assertThat(other.add(others, "key", "home", 1)).isEqualTo(new Refused(Refusal.APPLIED));

        assertThat(other.admit("key")).isEqualTo(Refusal.APPLIED);
        assertThat(values()).isEqualTo("home=1");
    }

    @Test
    void nodesThatAreToldOfTheSameOperationsAtTheSameTimeApplyEachOnce() throws Exception {
        TestNode other = new TestNode("b");
        GroupCommit others = other.groups(FbfDatabase.COUNTERS);

        List<Outcome> outcomes = together(
                IntStream.range(0, 400),
                i -> i % 2 == 0
                        ? node().add(group(), "key" + i / 2, "home", 1)
                        : other.add(others, "key" + i / 2, "home", 1));

        assertThat(outcomes).filteredOn(Applied.class::isInstance).hasSize(200);
        assertThat(outcomes)
                .filteredOn(outcome -> !(outcome instanceof Applied))
                .isSubsetOf(new Refused(Refusal.APPLIED), new Refused(Refusal.IN_PROGRESS));
        assertThat(values()).isEqualTo("home=200");
    }

    @Test
    void aRetryFindsOutWhatAResponseThatWasLostWouldHaveTold() throws Exception {
        execute(database.connect(), "INSERT INTO fbf_counter (name, value) VALUES ('home', 0)");
        GroupCommit groups =
                node().groups(FbfDatabase.COUNTERS, () -> StrangeConnections.withoutResponses(database.connect()));

        assertThat(node().add(groups, "key", "home", 1))
                .isInstanceOfSatisfying(
                        Unknown.class, unknown -> assertThat(unknown.reason()).hasMessage("lost"));

        assertThat(node().add(group(), "key", "home", 1)).isEqualTo(new Refused(Refusal.APPLIED));
        assertThat(values()).isEqualTo("home=1");
    }

    @Test
    void whereNobodyCanTellWhyItWasNotAppliedARetryFindsOut() throws Exception {
        Connection connection = database.connect();
        GroupCommit groups = node().groups(
                        FbfDatabase.COUNTERS,
                        () -> StrangeConnections.conflicting(
                                connection, sql -> sql.contains(", entry.operation, found")));
        TestNode other = new TestNode("b");
        other.add(other.groups(FbfDatabase.COUNTERS), "key", "home", 1);

        assertThat(node().add(groups, "key", "home", 1)).isEqualTo(new Refused(Refusal.CONFLICT));

        assertThat(node().add(group(), "key", "home", 1)).isEqualTo(new Refused(Refusal.APPLIED));
        assertThat(values()).isEqualTo("home=1");
    }

    @Test
    void ifAnythingIsThrownWhileDuplicatesAreLookedForARetryFindsThem() throws Exception {
        Connection breaks = StrangeConnections.throwing(database.connect(), () -> new OutOfMemoryError("of a driver"));
        GroupCommit groups = node().groups(FbfDatabase.COUNTERS, () -> breaks);
        TestNode other = new TestNode("b");
        other.add(other.groups(FbfDatabase.COUNTERS), "key", "home", 1);

        assertThat(node().add(groups, "key", "home", 1))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).hasMessage("of a driver"));

        assertThat(node().add(group(), "key", "home", 1)).isEqualTo(new Refused(Refusal.APPLIED));
        assertThat(values()).isEqualTo("home=1");
    }

    @Test
    void duplicatesInProgressAndNewOnesOfOneGroupHaveTheirOutcomesEach() throws Exception {
        TestNode other = new TestNode("b");
        other.add(other.groups(FbfDatabase.COUNTERS), "old", "home", 1);
        Connection tx = database.begin();
        LEDGER.insert(tx, OperationId.of("scope", "", "open").toUuid(), null, Duration.ofMinutes(1), null, false);
        Connection table = lockTable();
        List<Future<Outcome>> outcomes = new ArrayList<>();
        for (String key : List.of("old", "open", "new")) {
            outcomes.add(submit(() -> node().add(group(), key, "home", 1)));
        }
        database.awaitAWaiter();
        table.commit();

        assertThat(outcomes.get(0).get()).isEqualTo(new Refused(Refusal.APPLIED));
        assertThat(outcomes.get(1).get()).isEqualTo(new Refused(Refusal.IN_PROGRESS));
        assertThat(outcomes.get(2).get()).isEqualTo(new Applied(3));
        tx.rollback();
    }

    @Test
    void anExpiredOperationWaitsForThePurgeThatDeletesItAndIsNew() throws Exception {
        Claim claim = node().claim("key");
        execute(
                database.connect(),
                "INSERT INTO fbf_ledger (operation, transaction_id, retention) VALUES ('"
                        + claim.id().toUuid() + "', pg_current_xact_id(), 0)");
        Connection purge = database.begin();
        execute(purge, "DELETE FROM fbf_ledger");

        CountDownLatch tried = new CountDownLatch(1);
        group().listen((size, waited, took) -> tried.countDown());

        Future<Outcome> outcome = submit(() -> told(group().apply(claim, null, "home", 1, TIMEOUT)));
        tried.await();
        database.awaitAWaiter();
        purge.commit();

        assertThat(outcome.get()).isEqualTo(new Applied(1));
    }

    @Test
    void theLedgerHasTheFingerprintOfTheRequestAndTheRetryWindow() throws Exception {
        Claim claim = node().claim("key");

        group().apply(claim, 42L, "home", 1, TIMEOUT);

        assertThat(LEDGER.find(database.connect(), claim.id().toUuid(), false))
                .isEqualTo(new Ledger.Found(42L, null, false, null));
        assertThat(query(database.connect(), "SELECT retention FROM fbf_ledger"))
                .isEqualTo(String.valueOf(claim.retryWindow().toSeconds()));
    }
}
