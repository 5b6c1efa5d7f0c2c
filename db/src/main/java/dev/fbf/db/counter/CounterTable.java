package dev.fbf.db.counter;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.CounterNameException;
import dev.fbf.db.connection.Identifiers;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.SqlFailures;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A table of counters, and the SQL that reads and adds to them. Immutable and thread-safe. */
public final class CounterTable {

    private static final int LONGEST_NAME = 255;

    /** After this time the server is told to cancel the statement of a group. */
    private static final int SECONDS = 10;

    /** How long to wait for another transaction that is making a counter. */
    private static final Duration AT_ONCE = Duration.ofMillis(10);

    private static final String DESCRIBE = """
            SELECT format_type(key.atttypid, NULL), format_type(number.atttypid, NULL),
              EXISTS (SELECT FROM pg_index
                WHERE indrelid = key.attrelid AND indisunique AND indpred IS NULL AND indnkeyatts = 1 AND indkey[0] = key.attnum),
              EXISTS (SELECT FROM pg_collation WHERE oid = key.attcollation AND NOT collisdeterministic)
            FROM (SELECT to_regclass(?)::oid AS id) AS named
            LEFT JOIN pg_attribute AS key ON key.attrelid = id AND key.attname = ? AND NOT key.attisdropped
            LEFT JOIN pg_attribute AS number ON number.attrelid = id AND number.attname = ? AND NOT number.attisdropped
            WHERE id IS NOT NULL
            """;

    private static final List<String> INTEGERS = List.of("bigint", "integer", "smallint");

    private final String table;
    private final String key;
    private final String value;
    private final KeyType keyType;
    private final String sqlType;

    /** Whether a counter that is not there begins at 0. */
    private final boolean makesCounters;

    private CounterTable(
            String table, String key, String value, KeyType keyType, String sqlType, boolean makesCounters) {
        this.table = table;
        this.key = key;
        this.value = value;
        this.keyType = keyType;
        this.sqlType = sqlType;
        this.makesCounters = makesCounters;
    }

    /** The table that fbf brings along, by its name in SQL. */
    public static CounterTable ofFbf(String table) {
        return new CounterTable(table, "name", "value", KeyType.TEXT, "varchar", true);
    }

    /**
     * A table of the application's.
     *
     * @throws IllegalArgumentException if there is no such table, or its columns are not like that
     */
    public static CounterTable of(Connection connection, String table, String key, String value) throws SQLException {
        String quoted = Identifiers.quoteQualified(table);
        try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
            statement.setString(1, quoted);
            statement.setString(2, key);
            statement.setString(3, value);
            try (ResultSet rows = statement.executeQuery()) {
                require(
                        rows.next(),
                        "table",
                        table,
                        "there is no such table on the search path; upper and lower case matter");
                String sqlType = rows.getString(1);
                String valueType = rows.getString(2);
                require(sqlType != null, "key", key, "the table " + table + " has no such column");
                require(valueType != null, "value", value, "the table " + table + " has no such column");
                KeyType keyType = KeyType.of(sqlType);
                require(keyType != null, "key", key, is(sqlType, table, KeyType.SQL_TYPES));
                require(INTEGERS.contains(valueType), "value", value, is(valueType, table, INTEGERS));
                require(
                        rows.getBoolean(3),
                        "key",
                        key,
                        "needs a unique index in " + table + ", or an increment would hit many rows");
                require(
                        !rows.getBoolean(4),
                        "key",
                        key,
                        "has a nondeterministic collation in " + table
                                + ", by which different names are one counter; give it a deterministic one");
                return new CounterTable(
                        quoted,
                        Identifiers.quote(key),
                        Identifiers.quote(value),
                        requireNonNull(keyType),
                        sqlType,
                        false);
            }
        }
    }

    public long add(Connection connection, String counter, long delta) throws SQLException {
        String name = canonical(counter);
        try (PreparedStatement statement = connection.prepareStatement(adding())) {
            statement.setLong(1, delta);
            statement.setString(2, name);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw unknown(counter);
                }
                return rows.getLong(1);
            }
        }
    }

    public Map<String, Long> addAll(Connection connection, Map<String, Long> deltas) throws SQLException {
        Map<String, Long> changes = new LinkedHashMap<>();
        deltas.forEach((counter, delta) -> changes.merge(canonical(counter), delta, Math::addExact));
        try (PreparedStatement statement = connection.prepareStatement(addingAll())) {
            bindChanges(statement, 0, changes);
            Map<String, Long> known = keysAndValues(statement);
            Map<String, Long> values = new LinkedHashMap<>();
            for (String counter : deltas.keySet()) {
                Long value = known.get(canonical(counter));
                if (value == null) {
                    throw unknown(counter);
                }
                values.put(counter, value);
            }
            return values;
        }
    }

    public Map<String, Long> values(Connection connection, Collection<String> counters) throws SQLException {
        Map<String, Long> values = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(reading())) {
            Object[] names = counters.stream().map(this::canonical).toArray();
            statement.setArray(1, connection.createArrayOf("text", names));
            Map<String, Long> known = keysAndValues(statement);
            for (String counter : counters) {
                Long value = known.get(canonical(counter));
                if (value != null) {
                    values.put(counter, value);
                }
            }
        }
        return values;
    }

    /**
     * SQL that adds to many counters if it has locked the rows of all, and turned a witness's row; otherwise it does
     * nothing. For each row that it has locked it yields the ordinal of its counter, and its value or null. Passes over
     * rows that other transactions have locked. Its parameters are set by {@link #bindWitnessed}.
     */
    public String addingWitnessed(String compareAndSet) {
        return "WITH locked AS ("
                + locking("named.id, named.ordinal, named.delta", changes("id, delta, ordinal"), SKIPPING)
                + "), turned AS ("
                + compareAndSet + " AND " + ALL_ARE_LOCKED + " RETURNING slot), changed AS ("
                + updating("locked.delta", "locked, turned") + ") SELECT "
                + locked("(SELECT count(*) FROM locked) * (SELECT count(*) FROM turned)");
    }

    private String addingAll() {
        return makesCounters
                ? upserting(changes("id, delta, ordinal"), " ORDER BY 1")
                : "WITH locked AS (" + locking("named.id, named.delta", changes("id, delta, ordinal"), "") + ") UPDATE "
                        + table
                        + " AS counter SET " + value + " = counter." + value
                        + " + locked.delta FROM locked WHERE counter."
                        + key + " = locked.id RETURNING CAST(counter." + key + " AS text), counter." + value;
    }

    private String upserting(String changes, String order) {
        return "INSERT INTO " + table + " AS counter (" + key + ", " + value + ") SELECT id, delta FROM " + changes
                + order + " ON CONFLICT (" + key + ") DO UPDATE SET " + value + " = counter." + value + " + excluded."
                + value + " RETURNING CAST(counter." + key + " AS text), counter." + value;
    }

    /** Locks the rows of the counters in {@code named}. With {@link #SKIPPING} as {@code others} it skips rows that others have locked. */
    private String locking(String columns, String named, String others) {
        return "SELECT " + columns + " FROM " + named + " JOIN " + table + " AS counter ON counter." + key
                + " = named.id WHERE " + byKey("named.id") + " ORDER BY named.id FOR NO KEY UPDATE OF counter" + others;
    }

    /** SQL that waits for a counter's row and locks it; its parameter is the counter's name. */
    public String lockingOne() {
        return "SELECT 1 FROM " + table + " WHERE " + key + " = CAST(?::text AS " + sqlType + ") FOR NO KEY UPDATE";
    }

    /** Adds to the rows of {@code locked}. */
    private String updating(String delta, String sources) {
        return "UPDATE " + table + " AS counter SET " + value + " = counter." + value + " + " + delta + " FROM "
                + sources + " WHERE counter." + key + " = locked.id RETURNING locked.ordinal, counter." + value
                + " AS value";
    }

    /** Sets the parameters behind others. */
    public static void bindWitnessed(
            PreparedStatement statement, int offset, Map<String, Long> changes, WitnessBinder witness)
            throws SQLException {
        int set = witness.bind(statement, bindChanges(statement, offset, changes));
        statement.setInt(set + 1, changes.size());
    }

    /** Sets the parameters of {@link #changes} behind others; returns how many there are then. */
    private static int bindChanges(PreparedStatement statement, int offset, Map<String, Long> changes)
            throws SQLException {
        Connection connection = statement.getConnection();
        Object[] names = changes.keySet().toArray();
        Object[] deltas = changes.values().toArray();
        statement.setArray(offset + 1, connection.createArrayOf("text", names));
        statement.setArray(offset + 2, connection.createArrayOf("bigint", deltas));
        return offset + 2;
    }

    /** What a statement yields that has the keys and values of counters in its first columns. */
    public static Map<String, Long> keysAndValues(PreparedStatement statement) throws SQLException {
        Map<String, Long> values = new HashMap<>();
        try (ResultSet rows = statement.executeQuery()) {
            SqlFailures.requireReplicated(statement.getWarnings());
            while (rows.next()) {
                values.put(rows.getString(1), rows.getLong(2));
            }
        }
        return values;
    }

    /** Sets the parameters of the witness behind others; returns how many there are then. */
    public interface WitnessBinder {
        int bind(PreparedStatement statement, int offset) throws SQLException;
    }

    /**
     * SQL that adds for each operation that it can enter in the ledger, if it has locked the rows of all counters;
     * otherwise it does nothing. Yields the operations that it has entered, and after them, in the second and third column,
     * what {@link #addingWitnessed} yields. Its parameters are the arrays of the entries' columns, as {@code
     * LedgerTable.insertEntries} has them, and of the ordinals of their counters and the deltas; then the array of the
     * counters' names, and how many these are.
     */
    public String addingEntered(String insertEntries) {
        return "WITH entry AS (SELECT operation, low, fingerprint, retention, ordinal, delta"
                + " FROM unnest((SELECT ?::uuid[]), (SELECT ?::bigint[]), (SELECT ?::bigint[]),"
                + " (SELECT ?::integer[]), (SELECT ?::bigint[]), (SELECT ?::bigint[]))"
                + " AS entry(operation, low, fingerprint, retention, ordinal, delta))"
                + ", locked AS (" + locking("named.id, named.ordinal", names(), SKIPPING) + ")"
                + ", entered AS (" + insertEntries + " AND " + ALL_ARE_LOCKED
                + " ON CONFLICT DO NOTHING RETURNING operation)"
                + ", sums AS (SELECT ordinal, CAST(sum(delta) AS bigint) AS delta FROM entry JOIN entered USING (operation)"
                + " GROUP BY ordinal HAVING " + byKey("ordinal") + ")"
                + ", changed AS (" + updating("sums.delta", "locked JOIN sums USING (ordinal)") + ")"
                + " SELECT operation, NULL AS ordinal, NULL AS value, NULL AS checked FROM entered UNION ALL SELECT NULL, "
                + locked("(SELECT count(*) FROM sums)");
    }

    /** Is executed before the first row is locked, because of the order of what it is joined with. */
    private static final String BOUNDED = ", (SELECT set_config('lock_timeout', ?, true)) AS bounded";

    /** What {@link #addingOptimistically} fails with, as a number that it is not. */
    private static final String NOT_ALL_ADDED = "fbf: not all counters of the group could be added to";

    /**
     * SQL that adds to counters. Fails, so that nothing is done, if another transaction has locked a row for longer than it waits, or
     * a counter of the application's is not there; may fail if the transaction's isolation is above READ COMMITTED. It costs the server
     * less than the statements that lock all rows first and can tell which they could not lock.
     *
     * <p>Yields names and values. Its parameters are those of {@code with}, and after them those that {@link #bindOptimistic} sets.
     *
     * @param with CTEs that are executed whatever comes of the rest
     * @param condition one of them that has a row if the counters are to be added to, and else none; null for no condition
     */
    public OptimisticSql addingOptimistically(String with, @Nullable String condition) {
        String from = condition == null ? "" : ", " + condition;
        String one = "(SELECT CAST(?::text AS " + sqlType + ") AS id, ?::bigint AS delta) AS named" + BOUNDED;
        String many = changes("id, delta, ordinal") + BOUNDED;
        if (makesCounters) {
            return new OptimisticSql(
                    "WITH " + with + " " + upserting(one + from, ""),
                    "WITH " + with + " " + upserting(many + from, " ORDER BY 1"));
        }
        return new OptimisticSql(
                updatingOptimistically(with, from, one, "id IS NOT NULL"),
                updatingOptimistically(
                        with,
                        from,
                        many + " WHERE " + byKey("id") + " ORDER BY id",
                        "(SELECT count(*) FROM changed) = ?"));
    }

    /** Two statements with the same effect: for a single counter, at two thirds of the server's processor time, and for many. */
    public record OptimisticSql(String one, String many) {

        public String of(Map<String, Long> changes) {
            return changes.size() == 1 ? one : many;
        }
    }

    private String updatingOptimistically(String with, String from, String named, String allAreAdded) {
        return "WITH " + with + ", named AS (SELECT id, delta FROM " + named + "), changed AS (UPDATE " + table
                + " AS counter SET " + value + " = counter." + value + " + named.delta FROM named" + from
                + " WHERE counter." + key + " = named.id RETURNING CAST(counter." + key + " AS text) AS id, counter."
                + value + " AS value)"
                // the join has a row even where nothing was changed, so that the comparison is made
                + " SELECT id, value, CASE WHEN " + allAreAdded + " THEN 0 ELSE CAST((SELECT '" + NOT_ALL_ADDED
                + "'::text) AS bigint) END FROM (VALUES (1)) AS one LEFT JOIN changed ON true";
    }

    /** Sets the parameters behind others. */
    public void bindOptimistic(PreparedStatement statement, int offset, Map<String, Long> changes, Duration timeout)
            throws SQLException {
        boolean isOne = changes.size() == 1;
        int set = isOne ? bindChange(statement, offset, changes) : bindChanges(statement, offset, changes);
        statement.setString(set + 1, Math.max(1, timeout.toMillis()) + "ms"); // zero would mean to wait for ever
        if (!makesCounters) {
            if (!isOne) {
                statement.setInt(set + 2, changes.size());
            }
            limit(statement);
        }
    }

    /**
     * Limits the time that a statement takes; the table may have triggers. Has no effect if the connection is given up before that
     * anyway: the driver's timer wakes a thread for each statement.
     */
    public static void limit(PreparedStatement statement) throws SQLException {
        int silence = statement.getConnection().getNetworkTimeout();
        if (silence == 0 || silence > TimeUnit.SECONDS.toMillis(SECONDS)) {
            statement.setQueryTimeout(SECONDS);
        }
    }

    private static int bindChange(PreparedStatement statement, int offset, Map<String, Long> changes)
            throws SQLException {
        Map.Entry<String, Long> change = changes.entrySet().iterator().next();
        statement.setString(offset + 1, change.getKey());
        statement.setLong(offset + 2, change.getValue());
        return offset + 2;
    }

    /** A transaction that waits for no row, whatever it has locked, can be part of no deadlock over rows. */
    private static final String SKIPPING = " SKIP LOCKED";

    private static final String ALL_ARE_LOCKED = "(SELECT count(*) FROM locked) = ?";

    /** What {@link #locked} fails with, as a number that it is not. */
    private static final String NOT_ALL_CHANGED =
            "fbf: a trigger kept a counter from being changed, so that the group was rolled back";

    /** The counters whose rows are locked; fails unless so many were changed, for a COMMIT would say that all were. */
    private static String locked(String count) {
        return "ordinal, value, CASE WHEN (SELECT count(*) FROM changed) = " + count
                + " THEN 0 ELSE CAST((SELECT '" + NOT_ALL_CHANGED
                + "'::text) AS bigint) END FROM locked LEFT JOIN changed USING (ordinal)";
    }

    /**
     * Is true, and makes the planner expect a single row. By itself it expects ten, whatever the array, and for those it would
     * rather read a table of some hundred rows from end to end than look each up.
     */
    private static String byKey(String id) {
        return "num_nonnulls(" + id + ") = 1";
    }

    /** The arrays are hidden from the planner, which would make a plan for each length otherwise. */
    private String changes(String columns) {
        return "unnest((SELECT CAST(?::text[] AS " + sqlType + "[])), (SELECT ?::bigint[])) WITH ORDINALITY AS named("
                + columns + ")";
    }

    private String names() {
        return "unnest((SELECT CAST(?::text[] AS " + sqlType + "[]))) WITH ORDINALITY AS named(id, ordinal)";
    }

    /** Those of these names that no row has. */
    public Set<String> missing(Connection connection, Collection<String> names) throws SQLException {
        List<String> asked = List.copyOf(names);
        Set<String> missing = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement("SELECT ordinal FROM " + names()
                + " WHERE NOT EXISTS (SELECT FROM " + table + " AS counter WHERE counter." + key + " = named.id)")) {
            statement.setArray(1, connection.createArrayOf("text", asked.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    missing.add(asked.get(rows.getInt(1) - 1));
                }
            }
        }
        return missing;
    }

    /** Whether counters that are not there can be {@linkplain #make made}. */
    public boolean makesCounters() {
        return makesCounters;
    }

    /**
     * Makes counters that begin at 0, in transactions of its own.
     *
     * @return those that other transactions are making, which did not end at once
     */
    public Set<String> make(Connection connection, Collection<String> names) throws SQLException {
        try {
            insert(connection, names);
            return Set.of();
        } catch (SQLException e) {
            if (!SqlFailures.isOfLocks(e)) {
                throw e;
            }
        }
        if (names.size() == 1) {
            return Set.copyOf(names);
        }
        List<String> all = List.copyOf(names);
        Set<String> locked = new HashSet<>(make(connection, all.subList(0, all.size() / 2)));
        locked.addAll(make(connection, all.subList(all.size() / 2, all.size())));
        return locked;
    }

    private void insert(Connection connection, Collection<String> names) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, AT_ONCE);
                PreparedStatement statement = connection.prepareStatement("INSERT INTO " + table + " (" + key + ", "
                        + value + ") SELECT id, 0 FROM " + names() + " ORDER BY id ON CONFLICT DO NOTHING")) {
            statement.setArray(1, connection.createArrayOf("text", names.toArray()));
            statement.executeUpdate();
            transaction.commit();
        }
    }

    public UnknownCounterException unknown(String counter) {
        return new UnknownCounterException(table, counter);
    }

    /**
     * The name as the database writes it.
     *
     * @throws CounterNameException if no counter can have such a name
     */
    public String canonical(String counter) {
        if (makesCounters && (counter.isEmpty() || counter.length() > LONGEST_NAME)) {
            throw new CounterNameException(counter, "must have 1 to " + LONGEST_NAME + " characters");
        }
        return keyType.canonical(counter);
    }

    /** SQL that yields the keys and values of the counters that there are; its parameter is the array of their names. */
    String reading() {
        return "SELECT CAST(counter." + key + " AS text), counter." + value + " FROM unnest((SELECT CAST(?::text[] AS "
                + sqlType + "[]))) AS named(id) JOIN " + table + " AS counter ON counter." + key + " = named.id WHERE "
                + byKey("named.id");
    }

    private String adding() {
        return makesCounters
                ? "INSERT INTO " + table + " AS counter (" + value + ", " + key + ") VALUES (?, ?) ON CONFLICT (" + key
                        + ") DO UPDATE SET " + value + " = counter." + value + " + excluded." + value
                        + " RETURNING counter." + value
                : "UPDATE " + table + " SET " + value + " = " + value + " + ? WHERE " + key + " = " + "CAST(?::text AS "
                        + sqlType + ")" + " RETURNING " + value;
    }

    private static String is(String type, String table, List<String> allowed) {
        return "is " + type + " in " + table + ", and must be one of " + allowed;
    }

    private static void require(boolean fine, String name, String given, String rule) {
        if (!fine) {
            throw new IllegalArgumentException(name + "=" + given + ": " + rule);
        }
    }
}
