package dev.fbf.db.connection;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.connection.TransactionConnection.State;
import java.io.StringReader;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;

/** What a caller sees of a connection whose statements take a prelude along, and what the database sees. */
class TransactionConnectionTest {

    private static final long NO_TOKEN = 0;
    private static final long NEXT = 42;

    private static final String INSERT = "INSERT INTO noted (number, word) VALUES (?, ?)";

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final UUID node = UUID.randomUUID();

    private Connection observer;
    private Connection tx;
    private TransactionConnection preludes;
    private Connection caller;

    /** Something that a caller does with a connection. */
    interface Deed {
        void in(Connection connection) throws SQLException;
    }

    @BeforeEach
    void begin() throws SQLException {
        observer = database.connect();
        execute(observer, """
                DROP TABLE IF EXISTS noted; CREATE TABLE noted (number integer NOT NULL, word text,
                  EXCLUDE USING btree (word WITH =) WHERE (word = 'deferred') DEFERRABLE INITIALLY DEFERRED);
                DROP SEQUENCE IF EXISTS executed; CREATE SEQUENCE executed
                """);
        execute(
                observer,
                "INSERT INTO fbf_witness SELECT '" + node
                        + "', slot, 0 FROM generate_series(0, 1) AS slot ON CONFLICT DO NOTHING");
        use(database.begin());
        preludes.add(turning(0));
    }

    private void use(Connection connection) throws SQLException {
        tx = connection;
        preludes = new TransactionConnection(tx, Connection.class);
        caller = preludes.forCaller();
    }

    @Test
    void theFirstStatementTakesThePreludeAlong() throws SQLException {
        try (PreparedStatement statement = caller.prepareStatement(INSERT)) {
            statement.setString(2, "a");
            statement.setInt(1, 1);
            assertThat(turned()).isFalse();

            assertThat(statement.executeUpdate()).isEqualTo(1);
            assertThat(turned()).isTrue();
        }
        tx.commit();

        assertThat(query(observer, "SELECT number || word FROM noted")).isEqualTo("1a");
        assertThat(token(observer, 0)).isEqualTo(NEXT);
        assertThat(token(observer, 1)).isEqualTo(NO_TOKEN);
    }

    /** Whatever else is executed: one that knows when it does is the statement itself. */
    static Stream<Named<Deed>> deeds() {
        return Stream.of(
                Named.of("a query", connection -> {
                    try (PreparedStatement statement = connection.prepareStatement("SELECT ?::integer + 1");
                            ResultSet rows = queried(statement)) {
                        rows.next();
                        assertThat(rows.getInt(1)).isEqualTo(3);
                        assertThat(rows.next()).isFalse();
                    }
                }),
                Named.of("something that yields rows", connection -> {
                    try (PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
                        assertThat(statement.execute()).isTrue();
                        assertThat(statement.getUpdateCount()).isEqualTo(-1);
                        assertThat(statement.getResultSet().next()).isTrue();
                        assertThat(statement.getMoreResults()).isFalse();
                    }
                }),
                Named.of("something that yields none", connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement("INSERT INTO noted SELECT generate_series(1, 3)")) {
                        assertThat(statement.execute()).isFalse();
                        assertThat(statement.getUpdateCount()).isEqualTo(3);
                        assertThat((Throwable) statement.getWarnings()).isNull();
                    }
                }),
                Named.of("a large update", connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement("INSERT INTO noted SELECT generate_series(1, 3)")) {
                        assertThat(statement.executeLargeUpdate()).isEqualTo(3);
                    }
                }),
                Named.of("several statements at once", connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement("INSERT INTO noted VALUES (?); SELECT ?")) {
                        statement.setInt(1, 1);
                        statement.setInt(2, 7);
                        assertThat(statement.execute()).isFalse();
                        assertThat(statement.getUpdateCount()).isEqualTo(1);
                        assertThat(statement.getMoreResults()).isTrue();
                    }
                }),
                Named.of("a batch", connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
                        for (int i = 0; i < 3; i++) {
                            statement.setInt(1, i);
                            statement.setNull(2, Types.VARCHAR);
                            statement.addBatch();
                        }
                        assertThat(statement.executeBatch()).containsExactly(1, 1, 1);
                    }
                }),
                Named.of("generated keys", connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(
                            "INSERT INTO noted VALUES (5)", Statement.RETURN_GENERATED_KEYS)) {
                        statement.executeUpdate();
                        assertThat(statement.getGeneratedKeys().next()).isTrue();
                    }
                }),
                Named.of("rows by and by", connection -> {
                    try (PreparedStatement statement = connection.prepareStatement("SELECT generate_series(1, 10)")) {
                        statement.setFetchSize(2);
                        try (ResultSet rows = statement.executeQuery()) {
                            for (int i = 1; i <= 10; i++) {
                                assertThat(rows.next()).isTrue();
                                assertThat(rows.getInt(1)).isEqualTo(i);
                            }
                        }
                    }
                }),
                Named.of("a statement without parameters", connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO noted VALUES (1)");
                    }
                }),
                Named.of("a call", connection -> {
                    try (CallableStatement statement = connection.prepareCall("{? = call abs(?)}")) {
                        statement.registerOutParameter(1, Types.INTEGER);
                        statement.setInt(2, -3);
                        statement.execute();
                        assertThat(statement.getInt(1)).isEqualTo(3);
                    }
                }),
                Named.of("a savepoint", connection -> connection.releaseSavepoint(connection.setSavepoint())),
                Named.of(
                        "what the driver alone can do",
                        connection -> connection.unwrap(PGConnection.class).getCopyAPI()),
                Named.of("nothing but COMMIT", Connection::commit));
    }

    private static ResultSet queried(PreparedStatement statement) throws SQLException {
        statement.setInt(1, 2);
        return statement.executeQuery();
    }

    @ParameterizedTest
    @MethodSource("deeds")
    void worksAsWithoutPreludeAndTurnsTheWitness(Deed deed) throws SQLException {
        deed.in(caller);

        tx.commit();
        assertThat(token(observer, 0)).isEqualTo(NEXT);
    }

    @ParameterizedTest
    @MethodSource("deeds")
    void worksAsWithoutPreludeWhenThereIsNone(Deed deed) throws SQLException {
        preludes.drop();

        deed.in(caller);

        tx.commit();
        assertThat(token(observer, 0)).isEqualTo(NO_TOKEN);
    }

    @ParameterizedTest
    @MethodSource("deeds")
    void nothingIsExecutedIfTheWitnessHasAnotherToken(Deed deed) throws SQLException {
        execute(observer, "UPDATE fbf_witness SET token = 7");

        assertRefused(() -> deed.in(caller));
        assertRefused(() -> preludes.flush());
    }

    @Test
    void theServerDoesNotComeToTheCallersStatementIfItRefusesThePrelude() throws SQLException {
        execute(observer, "UPDATE fbf_witness SET token = 7");

        try (PreparedStatement statement = caller.prepareStatement("SELECT nextval('executed')")) {
            assertRefused(statement::executeQuery);
        }

        tx.rollback();
        // what a sequence has given out is not taken back
        assertThat(query(observer, "SELECT is_called FROM executed")).isEqualTo("f");
    }

    @Test
    void aWitnessWithoutARowIsRefused() throws SQLException {
        execute(observer, "DELETE FROM fbf_witness");
        Prelude prelude = turning(0);
        preludes.drop();
        preludes.add(prelude);

        assertRefused(() -> preludes.flush());
        assertThat(prelude.isRefused()).isTrue();
        assertRefused(() -> caller.prepareStatement("SELECT 1").executeQuery());
    }

    @Test
    void theCallersOwnViolationIsTheCallers() throws SQLException {
        Prelude prelude = turning(1);
        preludes.add(prelude);

        try (PreparedStatement statement = caller.prepareStatement(INSERT)) {
            statement.setNull(1, Types.INTEGER);
            statement.setString(2, "a");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeUpdate)
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("23502"))
                    .isNotInstanceOf(SQLTransactionRollbackException.class);
        }
        assertThat(prelude.isRefused()).isFalse();
    }

    @Test
    void whatFailedWithTheCallersStatementIsSentAgainWhereTheDriverGoesOn() throws SQLException {
        Connection mended = database.connect(Map.of("autosave", "always"));
        mended.setAutoCommit(false);
        use(mended);
        preludes.add(turning(0));
        try (PreparedStatement statement = caller.prepareStatement("SELECT 1 / ?")) {
            statement.setInt(1, 0);
            assertThatExceptionOfType(SQLException.class).isThrownBy(statement::executeQuery);
        }
        assertThat(turned()).isFalse();

        preludes.flush();
        tx.commit();

        assertThat(token(observer, 0)).isEqualTo(NEXT);
    }

    @Test
    void aStatementIsExecutedAgainWithOtherParameters() throws SQLException {
        try (PreparedStatement statement = caller.prepareStatement(INSERT)) {
            statement.setInt(1, 1);
            statement.setString(2, "a");
            statement.executeUpdate();
            statement.setInt(1, 2);
            statement.executeUpdate();
            statement.clearParameters();
            statement.setInt(1, 3);
            statement.setCharacterStream(2, new StringReader("long"));
            statement.executeUpdate();
        }

        assertThat(query(caller, "SELECT string_agg(number || coalesce(word, '-'), ' ' ORDER BY number) FROM noted"))
                .isEqualTo("1a 2a 3long");
    }

    @Test
    void aStatementPreparedBeforeAnotherIsExecutedDoesNotRepeatThePrelude() throws SQLException {
        try (PreparedStatement first = caller.prepareStatement("INSERT INTO noted VALUES (1)");
                PreparedStatement second = caller.prepareStatement("INSERT INTO noted VALUES (2)")) {
            second.executeUpdate();
            first.executeUpdate();
        }
        tx.commit();

        assertThat(query(observer, "SELECT count(*) FROM noted")).isEqualTo("2");
    }

    @Test
    void aStatementThatIsWrongIsReportedAsIfItWereAlone() throws SQLException {
        try (PreparedStatement statement = caller.prepareStatement("SELECT ?")) {
            statement.setInt(2, 1);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeQuery)
                    .withMessageContaining("2")
                    .withMessageContaining("1");
        }
        try (PreparedStatement statement = caller.prepareStatement("SELEKT 1")) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeQuery)
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42601"));
        }
    }

    @Test
    void whatIsAskedOfTheFirstStatementLeavesItsRowsOpen() throws SQLException {
        try (PreparedStatement statement =
                preludes.forCaller().prepareStatement("SELECT n FROM generate_series(1, ?) AS n")) {
            statement.setInt(1, 3);
            ResultSet rows = statement.executeQuery();
            rows.next();

            assertThat(statement.getMetaData().getColumnName(1)).isEqualTo("n");
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(1);
            assertThat(statement.getFetchSize()).isZero();
            assertThat(statement.getMaxRows()).isZero();
            assertThat(statement.isPoolable()).isTrue();
            assertThat(statement.getResultSet()).isNotNull();

            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(2);
        }
    }

    @Test
    void rowsWhereNoneAreExpectedAndTheOtherWayRound() throws SQLException {
        try (PreparedStatement statement = caller.prepareStatement("SELECT 1")) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeUpdate)
                    .withMessageContaining("executeUpdate: the statement yields rows");
        }
        tx.rollback();
        begin();
        try (PreparedStatement statement = caller.prepareStatement("INSERT INTO noted VALUES (1)")) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeQuery)
                    .withMessageContaining("executeQuery: the statement yields no rows");
        }
    }

    @Test
    void aTimeoutHoldsForTheStatementThatTakesThePreludeAlong() throws SQLException {
        try (PreparedStatement statement = caller.prepareStatement("SELECT pg_sleep(20)")) {
            statement.setQueryTimeout(1);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeQuery)
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("57014"));
        }
    }

    @Test
    void goingBackToAnEarlierSavepointNeedsNoPrelude() throws SQLException {
        Savepoint savepoint = tx.setSavepoint();
        try (PreparedStatement statement = caller.prepareStatement("SELECT 1 / 0")) {
            assertThatExceptionOfType(SQLException.class).isThrownBy(statement::executeQuery);
        }

        caller.rollback(savepoint);

        preludes.flush();
        assertThat(turned()).isTrue();
    }

    @Test
    void aPreludeThatASavepointUndoesIsSentAgain() throws SQLException {
        Savepoint savepoint = tx.setSavepoint();
        execute(caller, "SELECT 1");
        assertThat(preludes.isWaiting()).isFalse();

        tx.rollback(savepoint);
        preludes.repeat();

        assertThat(preludes.isWaiting()).isTrue();
        execute(caller, "SELECT 1");
        assertThat(turned()).isTrue();
        assertThat(preludes.isWaiting()).isFalse();
    }

    @Test
    void itIsNotClosedByWhoeverTakesPart() throws SQLException {
        caller.close();

        assertThat(caller.isClosed()).isFalse();
        assertThat(tx.isClosed()).isFalse();
    }

    @Test
    void aClosedStatementStaysClosed() throws SQLException {
        PreparedStatement statement = caller.prepareStatement("SELECT 1");
        statement.close();

        assertThat(statement.isClosed()).isTrue();
        assertThatExceptionOfType(SQLException.class).isThrownBy(statement::executeQuery);
        assertThat(statement.getConnection()).isEqualTo(caller);
    }

    @Test
    void aDriverThatIsNotKnownGetsNone() throws SQLException {
        assertThat(new TransactionConnection(StrangeConnections.around(tx), Connection.class).takesPreludes())
                .isFalse();
    }

    /** What a caller does once the prelude was sent, and what becomes of the transaction by that. */
    static Stream<Arguments> ends() {
        return Stream.of(
                Arguments.of(State.OPEN, Named.<Deed>of("nothing", connection -> {})),
                Arguments.of(State.OPEN, Named.<Deed>of("stays in the transaction", it -> it.setAutoCommit(false))),
                Arguments.of(
                        State.OPEN, Named.<Deed>of("goes back to a savepoint", it -> it.rollback(it.setSavepoint()))),
                Arguments.of(State.ROLLED_BACK, Named.<Deed>of("rolls back", Connection::rollback)),
                Arguments.of(State.ROLLED_BACK, Named.<Deed>of("commits what has failed", connection -> {
                    fail(connection, "SELECT 1 / 0");
                    connection.commit();
                })),
                Arguments.of(State.COMMITTED, Named.<Deed>of("commits", Connection::commit)),
                Arguments.of(State.COMMITTED, Named.<Deed>of("commits by autocommit", it -> it.setAutoCommit(true))),
                Arguments.of(State.COMMITTED, Named.<Deed>of("commits, and rolls back", connection -> {
                    connection.commit();
                    execute(connection, "SELECT 1");
                    connection.rollback();
                })),
                Arguments.of(State.COMMITTED, Named.<Deed>of("commits, and commits a failure", connection -> {
                    connection.commit();
                    fail(connection, "SELECT 1 / 0");
                    connection.commit();
                })),
                Arguments.of(State.IN_DOUBT, Named.<Deed>of("commits, and that fails", connection -> {
                    execute(connection, "INSERT INTO noted VALUES (1, 'deferred'), (2, 'deferred')");
                    assertThatExceptionOfType(SQLException.class).isThrownBy(connection::commit);
                })),
                Arguments.of(State.IN_DOUBT, Named.<Deed>of("then rolls back", connection -> {
                    execute(connection, "INSERT INTO noted VALUES (1, 'deferred'), (2, 'deferred')");
                    assertThatExceptionOfType(SQLException.class).isThrownBy(connection::commit);
                    connection.rollback();
                })),
                Arguments.of(State.LOST, Named.<Deed>of("loses the connection", connection -> {
                    database.lose(connection.unwrap(Connection.class));
                    fail(connection, "SELECT 1");
                })),
                Arguments.of(State.ROLLED_BACK, Named.<Deed>of("loses it, and rolls back", connection -> {
                    database.lose(connection.unwrap(Connection.class));
                    fail(connection, "SELECT 1");
                    assertThatExceptionOfType(SQLException.class).isThrownBy(connection::rollback);
                })),
                Arguments.of(State.IN_DOUBT, Named.<Deed>of("loses it by the commit", connection -> {
                    database.lose(connection.unwrap(Connection.class));
                    assertThatExceptionOfType(SQLException.class).isThrownBy(connection::commit);
                })));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void knowsHowTheCallerHasEndedTheTransaction(State end, Deed deed) throws SQLException {
        execute(caller, "SELECT 1");

        deed.in(caller);

        assertThat(preludes.state()).isEqualTo(end);
    }

    @Test
    void aRollbackBeforeThePreludeLeavesTheTransactionOpen() throws SQLException {
        caller.rollback();

        assertThat(preludes.state()).isEqualTo(State.OPEN);
        assertThat(preludes.isWaiting()).isTrue();
    }

    @Test
    void whatFollowsARollbackIsNotCommitted() throws SQLException {
        execute(caller, "SELECT 1");
        caller.rollback();
        execute(caller, "INSERT INTO noted VALUES (1)");

        assertRefused(caller::commit);
        assertRefused(() -> caller.setAutoCommit(true));

        tx.rollback();
        assertThat(query(observer, "SELECT count(*) FROM noted")).isEqualTo("0");
        assertThat(preludes.state()).isEqualTo(State.ROLLED_BACK);
    }

    @Test
    void aConnectionThatIsClosedIsLost() throws SQLException {
        preludes.check();
        assertThat(preludes.state()).isEqualTo(State.OPEN);

        tx.close();
        preludes.check();

        assertThat(preludes.state()).isEqualTo(State.LOST);
    }

    private static void fail(Connection connection, String sql) {
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> execute(connection, sql));
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatExceptionOfType(SQLTransactionRollbackException.class).isThrownBy(call);
    }

    /** As the transaction sees it. */
    private boolean turned() throws SQLException {
        return token(tx, 0) == NEXT;
    }

    private long token(Connection connection, int slot) throws SQLException {
        return Long.parseLong(
                query(connection, "SELECT token FROM fbf_witness WHERE node = '" + node + "' AND slot = " + slot));
    }

    /** Turns a row of the witness, or violates NOT NULL. */
    private Prelude turning(int slot) {
        String sql = "UPDATE fbf_witness SET token = CASE token WHEN 0 THEN ? END WHERE node = ? AND slot = ?";
        return new Prelude(FbfDatabase.SCHEMA, "fbf_witness", sql, statement -> {
            statement.setLong(1, NEXT);
            statement.setObject(2, node);
            statement.setInt(3, slot);
            return 3;
        });
    }
}
