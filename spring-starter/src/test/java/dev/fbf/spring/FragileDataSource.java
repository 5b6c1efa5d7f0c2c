package dev.fbf.spring;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Breaks its connections at COMMIT, as the network does, and can be cut off from the database. */
public final class FragileDataSource extends DelegatingDataSource {

    /** What becomes of the next COMMIT, but for fbf's own. */
    public enum Fate {
        /** The connection is lost before the server hears of it, and rolls back. */
        LOST,
        /** The server commits, and its response is lost with the connection. */
        UNANSWERED,
        /** The server hears neither of it nor that the connection is gone, and keeps the transaction open. */
        UNHEARD,
        /** The transaction stays open, and there is no connection that could be ended: it is prepared. */
        STUCK
    }

    private static final String COMMIT = "; COMMIT";

    private final AtomicReference<@Nullable Fate> nextCommit = new AtomicReference<>();
    private final AtomicReference<@Nullable Connection> abandoned = new AtomicReference<>();
    private final String stuck = "stuck-" + UUID.randomUUID();

    private final AtomicBoolean rollbackBreaks = new AtomicBoolean();

    private volatile boolean cutOff;
    private volatile boolean cutOffAfterCommit;

    public FragileDataSource(DataSource dataSource) {
        super(dataSource);
    }

    public void breakNextCommit(Fate fate) {
        nextCommit.set(fate);
    }

    /** Whether the COMMIT that was to break has broken. */
    public boolean isBroken() {
        return nextCommit.get() == null;
    }

    /** The database cannot be reached any more once a COMMIT has broken. */
    public void breakNextCommitAndCutOff(Fate fate) {
        cutOffAfterCommit = true;
        breakNextCommit(fate);
    }

    /** The server rolls back, and its response is lost with the connection. */
    public void breakNextRollback() {
        rollbackBreaks.set(true);
    }

    public void cutOff() {
        cutOff = true;
    }

    public void reconnect() {
        cutOffAfterCommit = false;
        cutOff = false;
    }

    /** The server ends the transaction that it kept open. */
    public void endStuck(boolean commit) {
        try (Connection connection = super.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute((commit ? "COMMIT" : "ROLLBACK") + " PREPARED '" + stuck + "'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (cutOff) {
            throw new SQLException("no route to host", "08001");
        }
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                FragileDataSource.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> call(connection, method, arguments));
    }

    private @Nullable Object call(Connection connection, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (connection == abandoned.get()) {
            return abandoned(method);
        }
        Fate fate = method.getName().equals("commit") && !ofFbfsOwn() ? nextCommit.getAndSet(null) : null;
        if (fate != null) {
            cutOff |= cutOffAfterCommit;
            lose(connection, fate);
            throw new SQLException("connection reset", "08006");
        }
        if (method.getName().equals("prepareStatement")
                && commits(String.valueOf(requireNonNull(arguments)[0]))
                && nextCommit.get() != null) {
            return breaking(connection, (String) requireNonNull(arguments[0]));
        }
        if (method.getName().equals("rollback") && rollbackBreaks.getAndSet(false)) {
            connection.abort(Runnable::run);
            throw new SQLException("connection reset", "08006");
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Whether it is a statement of fbf's that commits. */
    private static boolean commits(String sql) {
        return sql.endsWith(COMMIT);
    }

    /** A statement of fbf's that commits. A transaction that stays open has executed it up to its COMMIT. */
    private PreparedStatement breaking(Connection connection, String sql) throws SQLException {
        boolean staysOpen = nextCommit.get() == Fate.UNHEARD || nextCommit.get() == Fate.STUCK;
        PreparedStatement statement =
                connection.prepareStatement(staysOpen ? sql.substring(0, sql.length() - COMMIT.length()) : sql);
        return (PreparedStatement) Proxy.newProxyInstance(
                FragileDataSource.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> {
                    Fate fate = method.getName().startsWith("execute") ? nextCommit.getAndSet(null) : null;
                    try {
                        if (fate == null) {
                            return method.invoke(statement, arguments);
                        }
                        if (fate == Fate.UNANSWERED) {
                            method.invoke(statement, arguments);
                            connection.abort(Runnable::run);
                        } else {
                            if (staysOpen) {
                                method.invoke(statement, arguments);
                            }
                            lose(connection, fate);
                        }
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    cutOff |= cutOffAfterCommit;
                    throw new SQLException("connection reset", "08006");
                });
    }

    private void lose(Connection connection, Fate fate) throws SQLException {
        switch (fate) {
            case UNHEARD -> abandoned.set(connection);
            case STUCK -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("PREPARE TRANSACTION '" + stuck + "'");
                }
                connection.abort(Runnable::run);
            }
            case LOST -> connection.abort(Runnable::run);
            case UNANSWERED -> {
                connection.commit();
                connection.abort(Runnable::run);
            }
        }
    }

    /** To its user, a connection that the server keeps is as lost as any other. */
    private static @Nullable Object abandoned(Method method) throws SQLException {
        return switch (method.getName()) {
            case "isClosed" -> true;
            case "isValid" -> false;
            case "close", "abort" -> null;
            case "toString" -> "abandoned";
            default -> throw new SQLException("connection is closed", "08003");
        };
    }

    private static boolean ofFbfsOwn() {
        return Thread.currentThread().getName().startsWith("fbf-");
    }
}
