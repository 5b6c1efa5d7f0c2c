package dev.fbf.loadtest.harness.sql;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** A database server on a fixed port, which keeps what it acknowledged, and can be killed in every way. Thread-safe. */
public interface SqlServer extends SqlEndpoint, AutoCloseable {

    int port();

    /** The user that may do everything, and needs no password. */
    String user();

    /** The URL of a database through a proxy's port, for clients that wait two seconds for a connection and three for a response. */
    String impatientUrl(int port, String database);

    /** Starts the server, which recovers first if it was killed; returns when it answers queries. */
    void start() throws IOException, InterruptedException;

    /** Waits until the server answers queries. */
    void awaitReady() throws InterruptedException;

    /** Kills the server with SIGKILL. */
    void kill();

    /** Stops the server at once, by a signal that it handles. */
    void stopNow() throws IOException, InterruptedException;

    /** The ids of the connections, those in a transaction first. */
    List<Long> backends() throws SQLException;

    /**
     * Ends what a connection executes, in the worst way the server has.
     *
     * @return whether there was such a connection
     */
    boolean killBackend(long id) throws SQLException;

    /** Ends a connection as an administrator does; returns whether there was one. */
    boolean terminateBackend(long id) throws SQLException;

    long openTransactions() throws SQLException;

    /** Its product and version. */
    String version() throws SQLException;

    @Override
    void close() throws IOException;
}
