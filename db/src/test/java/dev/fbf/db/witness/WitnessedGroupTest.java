package dev.fbf.db.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Beat;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.dialect.CounterTable;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupCommitContract;
import dev.fbf.db.group.GroupCommitContract.Outcome.Applied;
import dev.fbf.db.group.GroupCommitContract.Outcome.Refused;
import dev.fbf.db.group.GroupCommitContract.Outcome.Unknown;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.group.TestClaims;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WitnessedGroupTest extends GroupCommitContract {

    @Override
    protected GroupCommit open(Node node, DataSource dataSource, boolean callersMayCommit, CounterTable counters)
            throws SQLException {
        WitnessedDatabase witnessed = node.database("database");
        WitnessTable witness = new WitnessTable(FbfDatabase.TABLES, node.id());
        if (!witnessed.isReady()) {
            witnessed.setTokens(witnessed.tokens(), witness.prepare(database.connect(), witnessed.slots()));
        }
        return new GroupCommit(
                "test", dataSource, callersMayCommit, counters, new WitnessedGroup(counters, witnessed, witness));
    }

    @Test
    void oneTokenTellsOfAllWhoseResponseWasLostAfterTheCommit() throws Exception {
        FbfDatabase.execute(database.connect(), "INSERT INTO fbf_counter (name, value) VALUES ('home', 0)");
        GroupCommit groups =
                node().groups(FbfDatabase.COUNTERS, () -> StrangeConnections.withoutResponses(database.connect()));
        List<Outcome> outcomes = together(IntStream.range(0, 20), i -> node().add(groups, "key" + i, "home", 1));
        assertThat(outcomes).allMatch(Unknown.class::isInstance);
        assertThat(node().admit("key7")).isEqualTo(Refusal.IN_DOUBT);

        try (Settler settler = settler()) {
            settler.start();
            assertThat(outcomes).allMatch(outcome -> transaction(outcome).awaitSettled(TIMEOUT));
        }

        assertThat(outcomes).allMatch(outcome -> transaction(outcome).isCommitted());
        assertThat(node().admit("key7")).isEqualTo(Refusal.APPLIED);
        assertThat(values()).isEqualTo("home=20");
    }

    @Test
    void isNewAgainIfItsConnectionWasLostBeforeTheCommit() throws Exception {
        Connection itsOwn = database.connect();
        GroupCommit groups = node().groups(FbfDatabase.COUNTERS, () -> itsOwn);
        Connection tx = lockTable();
        Future<Outcome> outcome = submit(() -> node().add(groups, "key", "home", 1));
        database.awaitAWaiter();

        database.lose(itsOwn);

        WitnessedTransaction transaction = transaction(outcome.get());
        try (Settler settler = settler()) {
            settler.start();
            assertThat(transaction.awaitSettled(TIMEOUT)).isTrue();
        }
        assertThat(transaction.isCommitted()).isFalse();
        assertThat(node().admit("key")).isInstanceOf(Claim.class);
        tx.commit();
        assertThat(values()).isEqualTo("home=1");
    }

    @Test
    void noTransactionStaysOpenIfAFileHasFailed(@TempDir Path directory) throws Exception {
        try (Node failing = Node.open(directory, 2, false)) {
            ScopeClaims scope = failing.scope("scope", new FilterSizing(1, Duration.ofMinutes(1), 1e-3).plan());
            open(failing, StrangeConnections.dataSource(database::connect), true, FbfDatabase.COUNTERS);
            List<GroupedIncrement> group = Stream.of(new OperationId(1, 1), new OperationId(2, 2))
                    .map(id -> TestClaims.increment((Claim) scope.admit(id, null), "home", 1))
                    .toList();
            Files.delete(directory.resolve("fbf.claims"));
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> scope.beat().intend(Beat.NONE));
            WitnessedDatabase witnessed = failing.database("database");
            WitnessedGroup groups = new WitnessedGroup(
                    FbfDatabase.COUNTERS, witnessed, new WitnessTable(FbfDatabase.TABLES, failing.id()));

            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> groups.commit(database.connect(), group));

            assertThat(failing.held()).isZero();
            assertThat(witnessed.inDoubt()).isZero();
            assertThat(values()).isNull();
        }
    }

    @Test
    void nothingIsAddedIfTheWitnessHasAnotherToken() throws Exception {
        int slots = node().witnessed().slots();
        addInEachSlot(group(), "home", slots);

        assertThat(node().add(group(), "key", "home", 1)).isEqualTo(new Refused(Refusal.RECOVERING));

        assertThat(values()).isEqualTo("home=" + slots);
        assertThat(node().admit("key")).isInstanceOf(Claim.class);
        awaitSettled();
        assertThat(node().add(group(), "other", "home", 1)).isEqualTo(new Applied(slots + 1));
    }

    /** Of one counter and of several, which are two statements. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nothingIsAddedToTheApplicationsCountersIfTheWitnessHasAnotherToken(int counters) throws Exception {
        Connection connection = database.connect();
        FbfDatabase.execute(connection, "ALTER TABLE page DROP CONSTRAINT page_views_check");
        FbfDatabase.execute(connection, "INSERT INTO page VALUES (1, 0), (2, 0)");
        Connection itsOwn = database.connect();
        CountDownLatch gathered = new CountDownLatch(1);
        AtomicBoolean gathers = new AtomicBoolean();
        GroupCommit pages = node().groups(CounterTable.of(connection, "page", "id", "views"), () -> {
            if (gathers.get()) {
                gathered.await();
            }
            return StrangeConnections.pooled(itsOwn);
        });
        addInEachSlot(pages, "1", node().witnessed().slots());
        gathers.set(true);
        List<Future<Outcome>> outcomes = IntStream.rangeClosed(1, counters)
                .mapToObj(i -> submit(() -> node().add(pages, "key" + i, "" + i, 1)))
                .toList();
        while (pages.waiting() < counters && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(1_000_000);
        }
        gathered.countDown();

        for (Future<Outcome> outcome : outcomes) {
            assertThat(outcome.get()).isEqualTo(new Refused(Refusal.RECOVERING));
        }
        assertThat(FbfDatabase.query(connection, "SELECT sum(views) FROM page"))
                .isEqualTo("" + node().witnessed().slots());
        awaitSettled();
        assertThat(node().add(pages, "other", "2", 1)).isEqualTo(new Applied(1));
    }

    /** And gives all of its slots other tokens. */
    private void addInEachSlot(GroupCommit groups, String counter, int slots) throws SQLException {
        for (int slot = 0; slot < slots; slot++) {
            node().add(groups, "first " + slot, counter, 1);
        }
        FbfDatabase.execute(database.connect(), "UPDATE fbf_witness SET token = token - 1");
    }

    private void awaitSettled() {
        try (Settler settler = settler()) {
            settler.start();
            while (node().witnessed().inDoubt() > 0 && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private Settler settler() {
        return new Settler(
                StrangeConnections.dataSource(database::connect),
                node().witnessed(),
                new WitnessTable(FbfDatabase.TABLES, node().id()));
    }

    private static WitnessedTransaction transaction(Outcome outcome) {
        return Objects.requireNonNull(((Unknown) outcome).transaction());
    }
}
