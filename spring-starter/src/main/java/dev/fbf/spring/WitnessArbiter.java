package dev.fbf.spring;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.WitnessedDatabase;
import dev.fbf.core.guard.WitnessedTransaction;
import dev.fbf.db.CounterTable;
import dev.fbf.db.GroupCommit;
import dev.fbf.db.GroupOutcome;
import dev.fbf.db.Recovery;
import dev.fbf.db.Response;
import dev.fbf.db.Settler;
import dev.fbf.db.TransactionOutcome;
import dev.fbf.db.WitnessTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** In {@link Mode#FILTER}: the filter knows what was applied, and the witness what was in doubt. */
final class WitnessArbiter implements Arbiter {

    private final DataSource dataSource;
    private final WitnessedDatabase database;
    private final List<GroupCommit> groups = new CopyOnWriteArrayList<>();
    private final WitnessTable table;
    private final Settler settler;

    WitnessArbiter(DataSource dataSource, WitnessedDatabase database, WitnessTable table, Settler settler) {
        this.dataSource = dataSource;
        this.database = database;
        this.table = table;
        this.settler = settler;
    }

    @Override
    public void check(Connection connection) throws SQLException {
        table.check(connection);
    }

    @Override
    public void start() {
        settler.start();
    }

    @Override
    public void awaitRecovered(Duration timeout) {
        settler.awaitRecovered(timeout);
    }

    @Override
    public Recovery recovery() {
        return settler.recovery();
    }

    @Override
    public boolean isReady() {
        return database.isReady();
    }

    @Override
    public boolean entersWithFirstStatement(boolean sqlOnly) {
        return true;
    }

    @Override
    public Proof newProof() {
        return new WitnessProof(database, table);
    }

    @Override
    public boolean confirms(OperationId id) {
        return true;
    }

    @Override
    public void claimed(Claim claim, Operation operation) {
        claim.requestedBy(operation.requestId());
    }

    @Override
    public boolean recognizes(Operation operation, ForgetfulBloomFilter filter) {
        return !filter.isOfAnotherRequest(operation.id(), operation.requestId());
    }

    @Override
    public @Nullable Consumer<Response> responses() {
        return null;
    }

    @Override
    public @Nullable Response response(OperationId id) {
        return null;
    }

    @Override
    public GroupCommit groupCommit(CounterTable counters) {
        GroupCommit group = GroupCommit.witnessed(database.name(), dataSource, counters, database, table);
        groups.add(group);
        return group;
    }

    @Override
    public TransactionOutcome settle(OperationId id, GroupOutcome.Unknown unknown, Duration timeout) {
        WitnessedTransaction transaction = unknown.transaction();
        if (transaction == null || !transaction.awaitSettled(timeout)) {
            return TransactionOutcome.STILL_RUNNING;
        }
        return transaction.isCommitted() ? TransactionOutcome.COMMITTED : TransactionOutcome.NOT_COMMITTED;
    }

    @Override
    public Collection<WitnessedTransaction> inDoubt() {
        return database.settleable();
    }

    @Override
    public void onSettled(Consumer<Duration> listener) {
        database.onSettled(listener);
    }

    @Override
    public void close() {
        groups.forEach(GroupCommit::close);
        settler.close();
    }
}
