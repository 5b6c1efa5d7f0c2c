package dev.fbf.db;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.dialect.Dialect;
import dev.fbf.db.group.GroupCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Store of a database, which decides and records whether operations were applied: the ledger, or the witness. Thread-safe. */
public abstract class OperationStore implements AutoCloseable {

    protected final DataSource dataSource;

    protected final FbfSchema schema;
    private final String name;
    private final List<Counters> groups = new CopyOnWriteArrayList<>();
    private final Consumer<SQLException> onFailure;
    private volatile boolean usesOwnCounters;

    /**
     * @param name the name of its threads
     * @param onFailure receives the failures of fbf statements
     */
    protected OperationStore(String name, DataSource dataSource, FbfSchema schema, Consumer<SQLException> onFailure) {
        this.name = name;
        this.dataSource = dataSource;
        this.schema = schema;
        this.onFailure = onFailure;
    }

    /**
     * Checks that the database has the tables, and that its user has the necessary privileges.
     *
     * @throws SQLException if a table is missing (SQL state 42P01 or 3F000), a privilege is missing (42501), or the database cannot
     *     be reached
     */
    public abstract void check(Connection connection) throws SQLException;

    /**
     * Checks that operations can be recorded: records one, and rolls back.
     *
     * @throws SQLException if they cannot
     */
    public final void probe(Connection connection) throws SQLException {
        OwnTransaction transaction = schema.dialect(connection) == Dialect.POSTGRESQL
                ? OwnTransaction.beginReadCommitted(connection)
                : OwnTransaction.begin(connection);
        try {
            recordOne(connection);
            if (usesOwnCounters) {
                schema.check(connection, "{fbf}.fbf_counter", "SELECT INSERT UPDATE");
            }
        } finally {
            transaction.close();
        }
    }

    /** Records an operation that no client has sent. */
    protected abstract void recordOne(Connection connection) throws SQLException;

    /** Starts the background threads. */
    public abstract void start();

    /** {@return new entries, for one transaction that applies operations} */
    public abstract OperationTransaction.Entries newEntries();

    /**
     * {@return a table of counters}
     *
     * @param table the table; null for {@code fbf_counter}, whose counters have names of 1 to 255 characters and begin at 0
     * @throws IllegalArgumentException if the table does not exist, its columns are not as {@link Counters.Table} requires, or the user may
     *     not change it
     * @throws SQLException if fbf's tables must be found on the search path and are not there (SQL state 42P01), or the database
     *     cannot be reached
     */
    public final CounterRows table(Connection connection, Counters.@Nullable Table table) throws SQLException {
        usesOwnCounters |= table == null;
        Dialect dialect = schema.dialect(connection);
        return table == null
                ? dialect.counters(schema.find(connection))
                : dialect.counters(connection, table.name(), table.key(), table.value());
    }

    /** {@return the counters of a table, with a thread for their groups, which this store closes} */
    public final Counters counters(CounterRows table) {
        Counters counters = new Counters(name, dataSource, table, applier(table), this);
        groups.add(counters);
        return counters;
    }

    /** Returns the exception for a failed statement of fbf, and reports the failure if the database's tables or settings are the reason. */
    public final StoreException failed(SQLException e) {
        StoreException failed = new StoreException(e);
        if (failed.refusal() != Refusal.CONFLICT && SqlFailures.isReported(e) && !SqlFailures.isOfEarlierFailure(e)) {
            onFailure.accept(e);
        }
        return failed;
    }

    /** Returns what applies the groups of a table's counters. */
    protected abstract GroupCommit.Applier applier(CounterRows counters);

    /** Ends the background threads. Pending increments are still applied; this call does not wait for them. */
    @Override
    public void close() {
        groups.forEach(Counters::close);
    }
}
