package dev.fbf.db.dialect;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.counter.CounterRow;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.group.GroupCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The ledger's tables in a schema: operations applied by all nodes, one row each, until it expires, and their responses. Thread-safe. */
public interface Ledger {

    /**
     * An attempt to enter an operation.
     *
     * @param refusal null if it was entered, and is applied if the transaction commits; {@link Refusal#APPLIED} if it exists; {@link
     *     Refusal#IN_PROGRESS} if another transaction is entering it and may commit, or it exists on a server that is not trusted yet
     * @param transaction the id of the transaction that entered it; null if it was refused
     */
    record Entry(@Nullable Refusal refusal, @Nullable String transaction) {}

    /**
     * Row of an applied operation.
     *
     * @param fingerprint its request's fingerprint; null if requests were not compared
     * @param response the response to its request; null if there is none
     * @param isAwaited whether the response may be written soon
     * @param value the value of the counter that was read with the row; null if none was read, or it does not exist
     * @param backend the server process that has shown the row; null if all of its rows can be trusted
     */
    record Found(
            @Nullable Long fingerprint,
            @Nullable Response response,
            boolean isAwaited,
            @Nullable Long value,
            Trust.@Nullable Backend backend) {}

    /**
     * A response to store.
     *
     * @param retention the time until it expires
     */
    record Kept(Response response, Duration retention) {}

    /**
     * Checks that the tables exist, and that the user has the necessary privileges.
     *
     * @param withResponses whether responses are kept
     * @throws SQLException if a table is missing (SQL state 42P01 or 3F000), a privilege is missing (42501), or the database cannot
     *     be reached
     */
    void check(Connection connection, boolean withResponses) throws SQLException;

    /**
     * Enters an operation in the caller's transaction, unless it exists.
     *
     * @param transaction the id of the transaction, if it has entered other operations
     * @param alone whether the transaction has no other work that a failure would undo; otherwise it stays usable, except after an exception
     * @throws IllegalStateException if the connection is in autocommit
     * @throws SQLException if another transaction entered the operation since this one began (SQL state 40001), or the statement fails
     */
    Entry insert(Connection connection, Claim claim, @Nullable String transaction, boolean alone) throws SQLException;

    /**
     * Enters operations in the caller's transaction, without the fingerprints of their requests. May wait for transactions that are entering
     * or purging one of the operations.
     *
     * @return the entry of each operation
     * @throws SQLException as {@link #insert}
     */
    Map<Claim, Entry> insertAll(Connection connection, List<Claim> claims, @Nullable String transaction)
            throws SQLException;

    /** {@return whether {@link #finish} can enter an operation, and send COMMIT} */
    boolean entersLast();

    /**
     * Checks that the caller has not ended its transaction on the connection. Enters an operation before, or sends COMMIT in the same message.
     *
     * @param first an operation that the transaction has entered
     * @param transaction the id of the transaction; null if it has entered none before
     * @param last an operation to enter; waits for other transactions that are entering it. Null if there is none
     * @param commit whether to send COMMIT
     * @return false if the caller, or the database because of a deadlock, has ended the transaction, and the first operation is not entered
     * @throws SQLException if the last operation exists, the transaction cannot commit, or the outcome is unknown
     */
    boolean finish(
            Connection connection, UUID first, @Nullable String transaction, @Nullable Claim last, boolean commit)
            throws SQLException;

    /** Checks that a connection is in a transaction. */
    static void requireTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "autoCommit=true: must be called within the transaction that applies the operation");
        }
    }

    /** {@return whether the operation has a row that is visible to the caller's transaction, which may have entered it} */
    boolean exists(Connection connection, UUID operation) throws SQLException;

    /**
     * {@return the row of an operation; null if it was not applied}
     *
     * @param withResponse whether to read its response
     * @param counter the counter whose value is read in place of the response, where the dialect can do so; null for none
     */
    @Nullable Found find(Connection connection, UUID operation, boolean withResponse, @Nullable CounterRow counter)
            throws SQLException;

    /** Deletes the row of an operation, and its response, in the caller's transaction. */
    void forget(Connection connection, UUID operation) throws SQLException;

    /** {@return whether a row can be reported as an applied operation} */
    default boolean trusts(Found row) {
        return true;
    }

    /** Waits, in a transaction of its own, until the rows that this server shows can be trusted. */
    default void prove(Connection connection) throws SQLException {}

    /**
     * Stores responses in a separate transaction. If an operation has a response since it was entered, that response stays.
     *
     * @param responses at most one per operation
     */
    void keep(Connection connection, List<Kept> responses) throws SQLException;

    /**
     * Deletes some of the expired operations and responses. Not thread-safe.
     *
     * @param stop whether to end early
     * @return the number of deleted rows
     */
    int purge(Connection connection, BooleanSupplier stop) throws SQLException;

    /** {@return what applies the increments of a table in groups} */
    GroupCommit.Applier group(CounterRows counters);
}
