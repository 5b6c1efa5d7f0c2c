package dev.fbf.db.ledger;

import dev.fbf.core.DurationText;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

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

    private static final String COLUMNS = "scope, mode, extract(epoch FROM retry_window) AS window_seconds,"
            + " extract(epoch FROM held_until - clock_timestamp()) AS held_seconds";

    private static final String READ = "SELECT " + COLUMNS + " FROM {fbf}.fbf_scope";

    private static final String FIND = READ + " WHERE scope = ?";

    private static final String ENTER = """
            INSERT INTO {fbf}.fbf_scope AS known (scope, mode, retry_window) VALUES (?, 'ledger', ? * interval '1 microsecond')
            ON CONFLICT (scope) DO UPDATE SET retry_window = greatest(known.retry_window, excluded.retry_window) RETURNING %s
            """.formatted(COLUMNS);

    /** The time after which a lease lapses unless it is renewed. */
    private static final String LAPSE = "interval '30 seconds'";

    private static final String LIVING = """
            WITH lease AS (SELECT process, ended, seen_at, seen_at + %s AS lapses_at FROM {fbf}.fbf_lease WHERE scope = ? FOR UPDATE)
            SELECT * FROM lease WHERE NOT ended AND clock_timestamp() < lapses_at
            """.formatted(LAPSE);

    /** The last operation of a killed process may be as late as its lease's end. */
    private static final String TURN = """
            WITH lease AS (DELETE FROM {fbf}.fbf_lease WHERE scope = ? RETURNING seen_at
              + CASE WHEN applies AND NOT ended THEN greatest(retry_window, retries_for) + %s ELSE retries_for END AS retries_until)
            UPDATE {fbf}.fbf_scope SET mode = 'ledger', retry_window = ? * interval '1 microsecond',
              held_until = (SELECT retries_until FROM lease)
            WHERE scope = ? RETURNING %s
            """.formatted(LAPSE, COLUMNS);

    /**
     * A row as read.
     *
     * @param window the longest retry window of the scope's processes in ledger mode
     * @param heldFor the remaining time in which operations are held back; zero or negative if they are not
     */
    private record Row(String scope, boolean isLedger, Duration window, Duration heldFor) {

        static Row of(ResultSet row) throws SQLException {
            return new Row(
                    row.getString("scope"),
                    row.getString("mode").equals("ledger"),
                    seconds(row, "window_seconds"),
                    seconds(row, "held_seconds")); // zero if the column is null
        }

        private static Duration seconds(ResultSet row, String column) throws SQLException {
            return Duration.of(Math.round(row.getDouble(column) * 1e6), ChronoUnit.MICROS);
        }

        Standing standing() {
            if (!isLedger) {
                return Standing.refused(
                        "Another process has turned the scope to filter mode. To keep filter mode, stop this process. To"
                                + " return to ledger mode, stop the other process, then restart this one.");
            }
            return heldFor.isNegative() || heldFor.isZero() ? Standing.ADMITTED : Standing.heldBack(heldFor);
        }
    }

    /**
     * The permission to apply operations of a scope: ADMITTED | HELD_BACK | OTHER_NODE, each → any other at a later reading.
     *
     * @param reason the reason to refuse operations; null if they are admitted
     * @param text the details for operators
     * @param heldUntil the end of HELD_BACK, by the monotonic clock
     */
    private record Standing(@Nullable Refusal reason, String text, long heldUntil) {

        static final Standing ADMITTED = new Standing(null, "", 0);

        static Standing refused(String text) {
            return new Standing(Refusal.OTHER_NODE, text, 0);
        }

        static Standing heldBack(Duration time) {
            return new Standing(
                    Refusal.HELD_BACK,
                    "Until then, retries can arrive of operations that filter mode applied.",
                    System.nanoTime() + time.toNanos());
        }

        @Nullable Refusal refusal() {
            return reason == Refusal.HELD_BACK && System.nanoTime() - heldUntil >= 0 ? null : reason;
        }
    }

    /** A scope of this process. */
    private static final class Scope {

        final String name;
        final Duration window;
        private final AtomicReference<@Nullable Standing> standing = new AtomicReference<>();

        Scope(String name, Duration window) {
            this.name = name;
            this.window = window.truncatedTo(ChronoUnit.MICROS); // as in the row
        }

        boolean isUnread() {
            return standing.get() == null;
        }

        @Nullable Refusal refusal() {
            Standing now = standing.get();
            return now == null ? Refusal.UNCONFIRMED : now.refusal();
        }

        Duration heldBackFor() {
            Standing now = standing.get();
            return now == null || now.refusal() != Refusal.HELD_BACK
                    ? Duration.ZERO
                    : Duration.ofNanos(Math.max(0, now.heldUntil - System.nanoTime()));
        }

        /** Returns the reason why operations are refused, as a sentence for operators; null if they are not. */
        @Nullable String obstacle() {
            Standing now = standing.get();
            if (now == null) {
                return "Scope " + name + ": operations are refused until the database confirms that the scope is in"
                        + " ledger mode.";
            }
            Refusal refusal = now.refusal();
            if (refusal == null) {
                return null;
            }
            return "Scope " + name + ": operations are refused"
                    + (refusal == Refusal.HELD_BACK ? " for " + DurationText.of(heldBackFor()) : "") + ". " + now.text;
        }

        void set(Standing now) {
            Standing before = standing.getAndSet(now);
            if (now.reason == (before == null ? null : before.reason)) {
                return;
            }
            if (now.reason == null) {
                log.atInfo()
                        .addKeyValue("scope", name)
                        .log("Operations of the scope {} are applied from now on.", name);
            } else {
                Level level = now.reason == Refusal.HELD_BACK ? Level.WARN : Level.ERROR;
                log.atLevel(level).addKeyValue("scope", name).log(obstacle());
            }
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
        if (!schema.dialect(connection).hasFilterMode()) {
            return;
        }
        schema.check(connection, "{fbf}.fbf_scope", "SELECT INSERT UPDATE");
        schema.check(connection, "{fbf}.fbf_lease", "SELECT UPDATE DELETE");
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
        if (admitWithoutModes(connection, List.of(its))) {
            return;
        }
        Row row = Sql.find(connection, schema.sql(connection, FIND), Row::of, scope);
        if (row == null || row.isLedger || !its.isUnread()) {
            its.set(row == null ? Standing.ADMITTED : row.standing());
        }
    }

    /**
     * Reads the modes of all scopes again, inserts missing rows, and registers scopes as {@link #registerUnread}.
     *
     * @param connection a connection without an open transaction
     */
    public void refresh(Connection connection) throws SQLException {
        if (admitWithoutModes(connection, scopes.values())) {
            return;
        }
        Map<String, Row> rows = new HashMap<>();
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            Sql.rows(connection, schema.sql(connection, READ), Row::of).forEach(row -> rows.put(row.scope, row));
            transaction.commit();
        }
        List<Scope> known =
                scopes.values().stream().filter(scope -> !scope.isUnread()).toList();
        for (Scope scope : known) {
            Row row = rows.get(scope.name);
            scope.set(row == null ? Standing.ADMITTED : row.standing());
        }
        for (Scope scope : scopes.values()) {
            Row row = rows.get(scope.name);
            if (scope.isUnread() || row == null || row.window.compareTo(scope.window) < 0) {
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

    /** Admits scopes if their database has no filter mode, and no rows of modes; returns whether that is so. */
    private boolean admitWithoutModes(Connection connection, Collection<Scope> these) throws SQLException {
        if (schema.dialect(connection).hasFilterMode()) {
            return false;
        }
        these.forEach(scope -> scope.set(Standing.ADMITTED));
        return true;
    }

    /** Enters a scope in its row. The first decision of this process may turn the scope to ledger mode. */
    private void enter(Connection connection, Scope scope) throws SQLException {
        if (admitWithoutModes(connection, List.of(scope))) {
            return;
        }
        Standing standing;
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            Row row = Sql.find(connection, schema.sql(connection, FIND), Row::of, scope.name);
            if (row == null || !row.isLedger || row.window.compareTo(scope.window) < 0) {
                row = Sql.get(connection, schema.sql(connection, ENTER), Row::of, scope.name, micros(scope.window));
            }
            standing = row.isLedger || !scope.isUnread() ? row.standing() : turn(connection, scope);
            transaction.commit();
        }
        scope.set(standing);
    }

    /** Turns a scope, whose row is locked, to ledger mode; only refuses operations if a living process holds its lease. */
    private Standing turn(Connection connection, Scope scope) throws SQLException {
        String living = Sql.find(
                connection,
                schema.sql(connection, LIVING),
                row -> "A process in filter mode applies them: " + row.getString("process") + ", last seen "
                        + instant(row, "seen_at")
                        + ". Stop that process, then start this one; if it was killed, not before "
                        + instant(row, "lapses_at") + ".",
                scope.name);
        return living != null
                ? Standing.refused(living)
                : Sql.get(
                                connection,
                                schema.sql(connection, TURN),
                                Row::of,
                                scope.name,
                                micros(scope.window),
                                scope.name)
                        .standing();
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
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
        return its == null ? Duration.ZERO : its.heldBackFor();
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
