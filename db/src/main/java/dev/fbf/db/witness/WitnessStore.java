package dev.fbf.db.witness;

import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.OperationStore;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.dialect.CounterTable;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Store of filter mode: the filter has the applied operations, and the witness decides on those in doubt. */
public final class WitnessStore extends OperationStore {

    final WitnessedDatabase database;
    final boolean sendsCommit;
    final WitnessTable table;
    private final Settler settler;

    /**
     * Creates a store, to be started and closed.
     *
     * @param database the database's state in the node, with its transactions
     * @param sendsCommit whether COMMIT can be sent with the last statement of a transaction, because its manager does nothing at COMMIT
     *     besides the connection's
     * @param onFailure receives the failures of fbf statements
     */
    public WitnessStore(
            DataSource dataSource,
            FbfSchema schema,
            WitnessedDatabase database,
            boolean sendsCommit,
            Consumer<SQLException> onFailure) {
        super(database.name(), dataSource, schema, onFailure);
        this.database = database;
        this.sendsCommit = sendsCommit;
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
    protected void recordOne(Connection connection) throws SQLException {
        table.probe(connection);
    }

    /**
     * Waits until each transaction that the last process left in doubt is settled or requires an operator's decision, if its scopes are
     * open. Stops waiting when the database does not respond.
     *
     * @param timeout the longest time to wait
     */
    public void awaitRecovered(Duration timeout) {
        settler.awaitRecovered(timeout);
    }

    /** {@return whether operations can be admitted: false until the witness's tokens were read} */
    public boolean isReady() {
        return database.isReady();
    }

    @Override
    public OperationTransaction.Entries newEntries() {
        return new WitnessEntries(this);
    }

    @Override
    protected GroupCommit.Applier applier(CounterRows counters) {
        return new WitnessedGroup((CounterTable) counters, database, table);
    }

    /**
     * Waits for the outcome of an operation whose group's COMMIT got no response.
     *
     * @param timeout the longest time to wait
     * @return {@link Refusal#APPLIED} if it was applied; {@link Refusal#IN_DOUBT} if the outcome is not known in time; null if it was
     *     not applied
     */
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

    /** {@return the transactions that are in doubt and can be settled, as of now} */
    public Collection<WitnessedTransaction> inDoubt() {
        return database.settleable();
    }

    @Override
    public void close() {
        super.close();
        settler.close();
    }
}
