package dev.fbf.db.dialect;

import dev.fbf.db.connection.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table {@code fbf_scope} of the modes of scopes, in a database with filter mode. Thread-safe. */
public final class ModeTable {

    private static final String COLUMNS = "scope, mode, extract(epoch FROM retry_window) AS window_seconds,"
            + " extract(epoch FROM held_until - clock_timestamp()) AS held_seconds";

    private static final String READ = "SELECT " + COLUMNS + " FROM {fbf}.fbf_scope";

    private static final String FIND = READ + " WHERE scope = ?";

    private static final String ENTER = """
            INSERT INTO {fbf}.fbf_scope AS known (scope, mode, retry_window) VALUES (?, 'ledger', ? * interval '1 microsecond')
            ON CONFLICT (scope) DO UPDATE SET retry_window = greatest(known.retry_window, excluded.retry_window) RETURNING %s
            """.formatted(COLUMNS);

    private static final String ENTER_FILTER = """
            INSERT INTO {fbf}.fbf_scope AS known (scope, mode, retry_window) VALUES (?, 'filter', ? * interval '1 microsecond')
            ON CONFLICT (scope) DO UPDATE SET mode = known.mode RETURNING %s
            """.formatted(COLUMNS);
    private static final String TURN_TO_FILTER = """
            UPDATE {fbf}.fbf_scope SET mode = 'filter',
              held_until = clock_timestamp() + greatest(retry_window, ? * interval '1 microsecond') + interval '1 minute'
            WHERE scope = ? RETURNING %s
            """.formatted(COLUMNS);
    /** The time after which a lease lapses unless it is renewed. */
    private static final String LAPSE = "interval '30 seconds'";

    private static final String LIVING = """
            WITH lease AS (SELECT process, ended, seen_at, seen_at + %s AS lapses_at FROM {fbf}.fbf_lease WHERE scope = ? FOR UPDATE)
            SELECT * FROM lease WHERE NOT ended AND clock_timestamp() < lapses_at
            """.formatted(LAPSE);

    /** The last operation of a killed process may be as late as its lease's end. */
    private static final String TURN = """
            WITH lease AS (DELETE FROM {fbf}.fbf_lease WHERE scope = ? RETURNING seen_at + retry_window
              + CASE WHEN ended THEN interval '0' ELSE %s END AS retries_until)
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
    public record Row(String scope, boolean isLedger, Duration window, Duration heldFor) {

        static Row of(ResultSet row) throws SQLException {
            return new Row(
                    row.getString("scope"),
                    row.getString("mode").equals("ledger"),
                    Sql.seconds(row, "window_seconds"),
                    Sql.seconds(row, "held_seconds")); // zero if the column is null
        }
    }

    private final Tables tables;

    ModeTable(Tables tables) {
        this.tables = tables;
    }

    /** See {@link Ledger#check}. */
    public void check(Connection connection) throws SQLException {
        PostgresDialect.INSTANCE.check(connection, tables.sql("{fbf}.fbf_scope"), "SELECT INSERT UPDATE");
        PostgresDialect.INSTANCE.check(connection, tables.sql("{fbf}.fbf_lease"), "SELECT UPDATE DELETE");
    }

    public List<Row> rows(Connection connection) throws SQLException {
        return Sql.rows(connection, tables.sql(READ), Row::of);
    }

    public @Nullable Row find(Connection connection, String scope) throws SQLException {
        return Sql.find(connection, tables.sql(FIND), Row::of, scope);
    }

    /** Inserts a scope in ledger mode, or extends its retry window; returns its row, which is locked then. */
    public Row enter(Connection connection, String scope, Duration window) throws SQLException {
        return Sql.get(connection, tables.sql(ENTER), Row::of, scope, Sql.micros(window));
    }

    /** Describes the living process that holds the lease of a scope in filter mode; null if there is none. Locks the lease. */
    public @Nullable String living(Connection connection, String scope) throws SQLException {
        return Sql.find(
                connection,
                tables.sql(LIVING),
                row -> "A process in filter mode applies them: " + row.getString("process") + ", last seen "
                        + instant(row, "seen_at")
                        + ". Stop that process, then start this one; if it was killed, not before "
                        + instant(row, "lapses_at") + ".",
                scope);
    }

    /** Turns a scope to ledger mode, and deletes its lease. */
    public Row turn(Connection connection, String scope, Duration window) throws SQLException {
        return Sql.get(connection, tables.sql(TURN), Row::of, scope, Sql.micros(window), scope);
    }

    /** Inserts a scope in filter mode, if it is missing; returns its row, which is locked then. */
    public Row enterFilter(Connection connection, String scope, Duration window) throws SQLException {
        return Sql.get(connection, tables.sql(ENTER_FILTER), Row::of, scope, Sql.micros(window));
    }

    /** Turns a scope to filter mode, and holds its operations back for the longest retry window and a minute. */
    public Row turnToFilter(Connection connection, String scope, Duration window) throws SQLException {
        return Sql.get(connection, tables.sql(TURN_TO_FILTER), Row::of, Sql.micros(window), scope);
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
