package dev.fbf.db.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.witness.LostCommits;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.Arbiter;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.Recovery;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.group.PlainPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Arbiter of filter mode: the filter has the applied operations, and the witness decides on those in doubt. */
public final class WitnessArbiter extends Arbiter {

    private final WitnessedDatabase database;
    private final WitnessTable table;
    private final Settler settler;

    /**
     * Creates an arbiter, to be started and closed.
     *
     * @param database the database's state in the node, with its transactions
     */
    public WitnessArbiter(DataSource dataSource, FbfSchema schema, WitnessedDatabase database) {
        super(dataSource, schema);
        this.database = database;
        table = new WitnessTable(schema, database.witness());
        settler = new Settler(dataSource, database, table);
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
    public OperationTransaction.Entries newEntries() {
        return new WitnessEntries(database, table);
    }

    @Override
    public Applied find(OperationId id) {
        return Applied.NO_DETAILS; // a hit of the filter counts as applied
    }

    @Override
    public void recordRequest(Claim claim, long fingerprint) {
        claim.requestedBy(request(claim.id(), fingerprint));
    }

    @Override
    public boolean recognizes(
            OperationId id, @Nullable Applied applied, long fingerprint, ForgetfulBloomFilter filter) {
        return !filter.isOfAnotherRequest(id, request(id, fingerprint));
    }

    /**
     * Derives the filter's id for the combination of an operation and a request. Other requests for the same operation have other ids. Part
     * of the file format.
     */
    private static OperationId request(OperationId id, long fingerprint) {
        return new OperationId(id.high() ^ fingerprint, ~id.low());
    }

    @Override
    protected GroupCommit groupCommit(CounterTable counters) {
        return new GroupCommit(
                database.name(),
                dataSource,
                PlainPool.is(dataSource),
                counters,
                new WitnessedGroup(counters, database, table));
    }

    @Override
    public @Nullable Refusal awaitSettled(GroupedIncrement increment, Duration timeout) {
        WitnessedTransaction transaction = increment.transaction();
        return transaction == null ? Refusal.IN_DOUBT : awaitSettled(transaction, timeout);
    }

    static @Nullable Refusal awaitSettled(WitnessedTransaction transaction, Duration timeout) {
        if (!transaction.awaitSettled(timeout)) {
            return Refusal.IN_DOUBT;
        }
        return transaction.isCommitted() ? Refusal.APPLIED : null;
    }

    @Override
    public @Nullable LostCommits lostCommits() {
        return database.lostCommits();
    }

    @Override
    public void acceptLostCommits() {
        database.acceptLostCommits();
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
        super.close();
        settler.close();
    }
}
