package dev.fbf.db;

import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.dialect.Dialect;
import dev.fbf.db.group.GroupCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Store of a database, which decides and records whether operations were applied: the ledger, or the witness. Thread-safe. */
public abstract class OperationStore implements AutoCloseable {

    protected final DataSource dataSource;

    private static final Duration RESPONSE_TO_CHECK = Duration.ofSeconds(2);

    protected final FbfSchema schema;
    private final List<GroupCommit> groups = new CopyOnWriteArrayList<>();
    private volatile boolean usesOwnCounters;

    protected OperationStore(DataSource dataSource, FbfSchema schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /**
     * Checks that the database has the tables, and that its user has the necessary privileges.
     *
     * @throws SQLException if a table is missing (SQL state 42P01 or 3F000), a privilege is missing (42501), or the database cannot
     *     be reached
     */
    public abstract void check(Connection connection) throws SQLException;

    /**
     * Checks with a separate connection that operations can be recorded: {@link #check}, that the database is not read-only, and that
     * {@code fbf_counter} can be written if it is in use.
     *
     * @throws SQLException if operations cannot be recorded (SQL states as for {@link #check}, and 25006), or the database is silent
     *     for 2 seconds
     */
    public final void checkAgain() throws SQLException {
        SilenceLimit.inConnection(dataSource, RESPONSE_TO_CHECK, connection -> {
            schema.dialect(connection).requireWritable(connection);
            check(connection);
            checkCounters(connection);
        });
    }

    /** Checks the privileges on {@code fbf_counter}, if it is in use. */
    protected final void checkCounters(Connection connection) throws SQLException {
        if (usesOwnCounters) {
            schema.check(connection, "{fbf}.fbf_counter", "SELECT INSERT UPDATE");
        }
    }

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
        GroupCommit group = groupCommit(table);
        groups.add(group);
        return new Counters(table, group, this);
    }

    /** Returns the exception for a failed statement of fbf. */
    public StoreException failed(SQLException e) {
        return new StoreException(e);
    }

    protected abstract GroupCommit groupCommit(CounterRows counters);

    /** Ends the background threads. Pending increments are still applied; this call does not wait for them. */
    @Override
    public void close() {
        groups.forEach(GroupCommit::close);
    }
}
