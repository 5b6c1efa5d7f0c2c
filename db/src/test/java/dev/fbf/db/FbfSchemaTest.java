package dev.fbf.db;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.guard.Refusal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** fbf's tables in a schema that needs quoting, over connections whose search path does not have it. */
class FbfSchemaTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private static final Duration HOUR = Duration.ofHours(1);

    private final UUID operation = UUID.randomUUID();

    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = elsewhere();
    }

    @Test
    void witnessIsTurnedFencedAndCleared() throws SQLException {
        WitnessTable witness = new WitnessTable(FbfDatabase.TABLES, UUID.randomUUID());
        witness.check(connection);
        assertThat(witness.prepare(connection, 2)).hasSize(2);

        connection.setAutoCommit(false);
        assertThat(witness.turn(connection, 0, 0, 7)).isTrue();
        Connection settler = elsewhere();
        assertThat(witness.settle(settler, 0, 0, 7, Duration.ofMillis(1)).outcome())
                .isEqualTo(TransactionOutcome.STILL_RUNNING);
        assertThat(witness.evict(settler, List.of(0, 1))).isEqualTo(1);
        assertThat(witness.settle(settler, 0, 0, 7, HOUR).outcome()).isEqualTo(TransactionOutcome.NOT_COMMITTED);

        settler.setAutoCommit(false);
        witness.prelude(() -> new WitnessTable.Turn(1, 0, 9), false).execute(settler);
        settler.commit();
        assertThat(witness.tokens(settler))
                .containsEntry(0, WitnessTable.fence(7))
                .containsEntry(1, 9L);
    }

    @Test
    void ledgerAndItsResponsesAreWrittenReadAndPurged() throws SQLException {
        LedgerTable ledger = new LedgerTable(FbfDatabase.TABLES);
        ResponseTable responses = new ResponseTable(FbfDatabase.TABLES);
        Response response = new Response(operation, 200, "", Response.Ending.RETURNED, new byte[] {1});
        ledger.check(connection);
        responses.check(connection);

        ledger.trust(connection);
        connection.setAutoCommit(false);
        assertThat(ledger.insert(connection, operation, 5L, Duration.ofMillis(1)))
                .isNull();
        connection.commit();
        assertThat(ledger.insert(connection, operation, 5L, HOUR)).isEqualTo(Refusal.APPLIED);
        connection.commit();
        assertThat(ledger.fingerprint(connection, operation)).isEqualTo(5);
        assertThat(ledger.containedOf(connection, List.of(operation))).containsExactly(operation);
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(ledger.settle(connection, operation)).isEqualTo(TransactionOutcome.COMMITTED);
        responses.insert(connection, List.of(response));
        assertThat(responses.find(connection, operation)).isEqualTo(response);

        new LedgerHorizon(FbfDatabase.TABLES).advance(connection);
        execute(
                connection,
                "INSERT INTO " + Identifiers.quote(FbfDatabase.SCHEMA)
                        + ".fbf_horizon SELECT clock_timestamp(), ended_by - interval '1 second' FROM "
                        + Identifiers.quote(FbfDatabase.SCHEMA) + ".fbf_horizon");
        assertThat(ledger.purge(connection, 0, 10)).isEqualTo(1);
        assertThat(responses.find(connection, operation)).isNull();
    }

    @Test
    void preludeThatMeetsAnOperationOfTheLedgerIsRefused() throws SQLException {
        LedgerTable ledger = new LedgerTable(FbfDatabase.TABLES);
        connection.setAutoCommit(false);
        ledger.prelude(connection, operation, null, HOUR).execute(connection);
        connection.commit();

        Prelude second = ledger.prelude(connection, operation, null, HOUR);
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> second.execute(connection));
        assertThat(second.isRefused()).isTrue();
    }

    /** What violates a constraint there is the caller's own statement. */
    @Test
    void tableOfTheSameNameInAnotherSchemaIsNotFbfs() throws SQLException {
        execute(connection, "CREATE SCHEMA IF NOT EXISTS tenant");
        execute(connection, "DROP TABLE IF EXISTS tenant.fbf_ledger");
        execute(connection, "CREATE TABLE tenant.fbf_ledger (one int PRIMARY KEY CHECK (one = 1))");
        connection.setAutoCommit(false);
        TransactionConnection preludes = TransactionConnection.over(connection, Connection.class);
        Prelude prelude = FbfDatabase.LEDGER.prelude(connection, operation, null, HOUR);
        preludes.add(prelude);

        try (PreparedStatement statement =
                preludes.forCaller().prepareStatement("INSERT INTO tenant.fbf_ledger VALUES (2)")) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeUpdate)
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("23514"));
        }
        assertThat(prelude.isRefused()).isFalse();
    }

    @Test
    void nodesRegisterRenewAndEnd() throws SQLException {
        NodeTable nodes = new NodeTable(
                FbfDatabase.TABLES,
                new NodeLease.Self(UUID.randomUUID(), UUID.randomUUID(), Set.of(), "a test's process", false),
                InstantSource.system());
        NodeTable others = new NodeTable(
                FbfDatabase.TABLES,
                new NodeLease.Self(UUID.randomUUID(), UUID.randomUUID(), Set.of(), "another process", false),
                InstantSource.system());
        SeenRows seen = new SeenRows(System::nanoTime);
        nodes.check(connection);

        assertThat(nodes.register(connection, "scope", HOUR, NodeTable.Before.NOTHING, true, seen)
                        .right())
                .isEqualTo(NodeStanding.Right.APPLY);
        assertThat(nodes.renew(connection, List.of("scope"), List.of("scope"))).containsExactly("scope");
        assertThat(others.register(connection, "scope", HOUR, NodeTable.Before.NOTHING, false, seen)
                        .right())
                .isEqualTo(NodeStanding.Right.NONE);
        nodes.end(connection, List.of());
        assertThat(others.register(connection, "scope", HOUR, NodeTable.Before.NOTHING, false, seen)
                        .right())
                .isEqualTo(NodeStanding.Right.HOLD_BACK);
    }

    @Test
    void countersAreAddedToAndRead() throws SQLException {
        CounterTable counters = CounterTable.ofFbf(FbfDatabase.TABLES);

        assertThat(counters.add(connection, "home", 2)).isEqualTo(2);
        assertThat(counters.addAll(connection, Map.of("home", 3L, "about", 1L)))
                .isEqualTo(Map.of("home", 5L, "about", 1L));
        assertThat(FbfDatabase.value(counters, connection, "home")).hasValue(5);
    }

    @Test
    void firstConnectionDecidesWhereTheTablesAre() throws SQLException {
        FbfSchema tables = FbfSchema.onSearchPath();
        LedgerTable ledger = new LedgerTable(tables);
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> ledger.contains(connection, operation))
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42P01"));
        assertThatIllegalStateException().isThrownBy(() -> CounterTable.ofFbf(tables));

        assertThat(tables.find(database.connect())).isEqualTo(FbfDatabase.SCHEMA);
        assertThat(tables.find(connection)).isEqualTo(FbfDatabase.SCHEMA);
        assertThat(ledger.contains(connection, operation)).isFalse();
    }

    @Test
    void statementsStayTheSameText() {
        FbfSchema tables = FbfSchema.in("a\"b");

        assertThat(tables.counter()).isEqualTo("\"a\"\"b\".fbf_counter").isSameAs(tables.counter());
    }

    @Test
    void missingPrivilegesAreNamed() throws SQLException {
        Connection owner = database.connect();
        execute(owner, "DROP ROLE IF EXISTS visitor; CREATE ROLE visitor");
        String schema = Identifiers.quote(FbfDatabase.SCHEMA);
        execute(owner, "GRANT USAGE ON SCHEMA " + schema + " TO visitor");
        execute(owner, "GRANT SELECT ON ALL TABLES IN SCHEMA " + schema + " TO visitor");
        try {
            execute(connection, "SET ROLE visitor");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> FbfDatabase.LEDGER.check(connection))
                    .withMessage("INSERT, UPDATE, DELETE not granted on " + schema + ".fbf_ledger")
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        } finally {
            execute(connection, "RESET ROLE");
            execute(owner, "DROP OWNED BY visitor; DROP ROLE visitor");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\0b", "pg_fbf"})
    void nameThatNoSchemaCanHaveIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FbfSchema.in(name))
                .withMessageStartingWith("schema=" + name + ": must ");
    }

    @Test
    void tablesAreNowhereElse() throws SQLException {
        assertThat(query(
                        database.connect(),
                        "SELECT string_agg(DISTINCT schemaname, ',') FROM pg_tables WHERE tablename LIKE 'fbf\\_%'"
                                + " AND schemaname <> 'tenant'"))
                .isEqualTo(FbfDatabase.SCHEMA);
    }

    private static Connection elsewhere() throws SQLException {
        Connection connection = database.connect();
        execute(connection, "SET search_path = pg_catalog");
        return connection;
    }
}
