package dev.fbf.db.ledger;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.Standing;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.dialect.ModeTable;
import dev.fbf.db.dialect.ModeTable.Row;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The scopes that this process uses in ledger mode, by their rows in {@code fbf_scope}. Thread-safe. */
public final class LedgerScopes {

    /*
     * A row has the mode of a scope. The first decision on a scope in this process may turn it from filter mode to ledger mode: if no
     * process holds its lease, the row gets the time until which retries of the lease's operations can arrive, and the lease is deleted,
     * all in one transaction. Later readings take no lock and turn nothing. A reading that fails changes nothing.
     *
     * The database's clock decides; the monotonic clock measures the rest from the response on.
     */
    private static final Logger log = LoggerFactory.getLogger(LedgerScopes.class);

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

    private static final Standing UNREAD = Standing.unconfirmed("that the scope is in ledger mode.");

    /** A scope of this process. */
    private static final class Scope {

        final String name;
        final Duration window;
        volatile Standing standing = UNREAD;

        Scope(String name, Duration window) {
            this.name = name;
            this.window = window.truncatedTo(ChronoUnit.MICROS); // as in the row
        }

        boolean isUnread() {
            return standing.reason() == Refusal.UNCONFIRMED;
        }

        @Nullable Refusal refusal() {
            Standing now = standing;
            boolean isOver =
                    now.reason() == Refusal.HELD_BACK && now.heldBackFor().isZero();
            return isOver ? null : now.reason();
        }

        /** Returns the reason why operations are refused, as a sentence for operators; null if they are not. */
        @Nullable String obstacle() {
            return refusal() == null ? null : standing.obstacle(name);
        }

        void set(Standing now) {
            Standing before = standing;
            standing = now;
            now.log(before, name, log);
        }
    }

    private final FbfSchema schema;
    private final Map<String, Scope> scopes = new ConcurrentHashMap<>();

    public LedgerScopes(FbfSchema schema) {
        this.schema = schema;
    }

    /**
     * Checks that the database has the tables, and that its user has the necessary privileges.
     *
     * @throws SQLException if a table is missing (SQL state 42P01 or 3F000), a privilege is missing (42501), or the database cannot
     *     be reached
     */
    public void check(Connection connection) throws SQLException {
        ModeTable modes = schema.modes(connection);
        if (modes != null) {
            modes.check(connection);
        }
    }

    /** Adds a scope, for {@link #registerUnread} if the database cannot be reached at start. */
    public void add(String scope, Duration retryWindow) {
        of(scope, retryWindow);
    }

    /**
     * Registers a scope at start, and turns it to ledger mode if it is in filter mode and no process holds its lease. If this fails,
     * {@link #registerUnread} does so.
     *
     * @param connection a connection without an open transaction
     * @param retryWindow the scope's retry window
     * @return the reason why the start must stop, as a sentence that names the process in filter mode; null if there is none
     */
    public @Nullable String register(Connection connection, String scope, Duration retryWindow) throws SQLException {
        Scope its = of(scope, retryWindow);
        enter(connection, its);
        return its.refusal() == Refusal.OTHER_NODE ? its.obstacle() : null;
    }

    /**
     * Reads the mode of a scope that an open transaction uses first. A scope in filter mode stays {@linkplain Refusal#UNCONFIRMED
     * unconfirmed} until {@link #registerUnread}.
     *
     * @param connection the connection of the transaction
     * @param retryWindow the scope's retry window
     */
    public void read(Connection connection, String scope, Duration retryWindow) throws SQLException {
        Scope its = of(scope, retryWindow);
        ModeTable modes = schema.modes(connection);
        Row row = modes == null ? null : modes.find(connection, scope);
        if (row == null || row.isLedger() || !its.isUnread()) {
            its.set(standing(row));
        }
    }

    /**
     * Reads the modes of all scopes again, inserts missing rows, and registers scopes as {@link #registerUnread}.
     *
     * @param connection a connection without an open transaction
     */
    public void refresh(Connection connection) throws SQLException {
        ModeTable modes = schema.modes(connection);
        if (modes == null) {
            registerUnread(connection);
            return;
        }
        Map<String, Row> rows = new HashMap<>();
        OwnTransaction.read(connection, () -> modes.rows(connection)).forEach(row -> rows.put(row.scope(), row));
        for (Scope scope : scopes.values()) {
            if (!scope.isUnread()) {
                scope.set(standing(rows.get(scope.name)));
            }
        }
        for (Scope scope : scopes.values()) {
            Row row = rows.get(scope.name);
            if (scope.isUnread() || row == null || row.window().compareTo(scope.window) < 0) {
                enter(connection, scope);
            }
        }
    }

    /** Registers the scopes that could not be read so far. Does nothing if there are none. */
    public void registerUnread(Connection connection) throws SQLException {
        for (Scope scope : scopes.values()) {
            if (scope.isUnread()) {
                enter(connection, scope);
            }
        }
    }

    /** Enters a scope in its row. The first decision of this process may turn the scope to ledger mode. */
    private void enter(Connection connection, Scope scope) throws SQLException {
        ModeTable modes = schema.modes(connection);
        if (modes == null) {
            scope.set(Standing.ADMITTED);
            return;
        }
        Standing standing;
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            Row row = modes.find(connection, scope.name);
            if (row == null || !row.isLedger() || row.window().compareTo(scope.window) < 0) {
                row = modes.enter(connection, scope.name, scope.window);
            }
            standing = row.isLedger() || !scope.isUnread() ? standing(row) : turn(connection, modes, scope);
            transaction.commit();
        }
        scope.set(standing);
    }

    /** Turns a scope, whose row is locked, to ledger mode; only refuses operations if a living process holds its lease. */
    private static Standing turn(Connection connection, ModeTable modes, Scope scope) throws SQLException {
        String living = modes.living(connection, scope.name);
        return living == null
                ? standing(modes.turn(connection, scope.name, scope.window))
                : Standing.refused(living, null);
    }

    private static Standing standing(@Nullable Row row) {
        if (row == null) {
            return Standing.ADMITTED;
        }
        if (!row.isLedger()) {
            return Standing.refused(
                    "Another process has turned the scope to filter mode. To keep filter mode, stop this process. To"
                            + " return to ledger mode, stop the other process, then restart this one.",
                    null);
        }
        Duration rest = row.heldFor();
        return rest.isNegative() || rest.isZero() ? Standing.ADMITTED : Standing.heldBack(rest, "filter mode", "");
    }

    private Scope of(String scope, Duration retryWindow) {
        return scopes.computeIfAbsent(scope, name -> new Scope(name, retryWindow));
    }

    /** Returns the reason to refuse operations of a scope now; null if they are admitted. */
    public @Nullable Refusal refusal(String scope) {
        Scope its = scopes.get(scope);
        return its == null ? Refusal.UNCONFIRMED : its.refusal();
    }

    /** Returns the remaining time in which operations are refused with {@link Refusal#HELD_BACK}; zero if they are not. */
    public Duration heldBackFor(String scope) {
        Scope its = scopes.get(scope);
        return its == null ? Duration.ZERO : its.standing.heldBackFor();
    }

    /** Returns the reasons why operations are refused, each as text for operators. */
    public List<String> obstacles() {
        return scopes.values().stream()
                .map(Scope::obstacle)
                .filter(Objects::nonNull)
                .sorted()
                .toList();
    }
}
