package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.db.dialect.Response;
import dev.fbf.db.ledger.TestLedger.Store;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(20)
class LedgerStoreTest {

    private static final OperationId ID = OperationId.of("scope", "", "key");
    private static final OperationId OTHER = OperationId.of("scope", "", "other");
    private static final Response RESPONSE = new Response(ID.toUuid(), 204, "", new byte[0]);
    private static final Duration LONG = Duration.ofSeconds(10);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final AtomicInteger connections = new AtomicInteger();

    /** More than it deletes in one transaction. */
    @Test
    void purgesAllOperationsThatHaveExpiredAndNoOther() throws SQLException {
        FbfDatabase.enterExpired(database.connect(), 1_500);
        FbfDatabase.enterKept(database.connect(), 1);
        try (Store store = open(0)) {
            store.store().round();
            store.store().round(); // finds out that no other node purges
            store.store().round();
        }

        assertThat(query(
                        database.connect(),
                        "SELECT count(*) FILTER (WHERE retention = 3600) || '/' || count(*) FROM fbf_ledger"))
                .isEqualTo("1/1");
    }

    @Test
    void noConnectionInTheBackgroundWaitsForASilentServerForEver() throws SQLException {
        Set<String> unlimited = ConcurrentHashMap.newKeySet();
        AtomicInteger statements = new AtomicInteger();
        try (Store store = open(
                1 << 20,
                () -> StrangeConnections.noting(database.connect(), (sql, connection) -> {
                    statements.incrementAndGet();
                    if (connection.getNetworkTimeout() == 0) {
                        unlimited.add(sql);
                    }
                }))) {
            store.store().round();
            store.store().round();
            requireNonNull(store.store().responses(LONG)).accept(RESPONSE);
        }

        assertThat(statements).hasValueGreaterThan(8);
        assertThat(unlimited).isEmpty();
    }

    @Test
    void anOperationThatAnotherNodeHasAppliedIsRememberedHereOnceItIsFound() throws SQLException {
        try (Store store = open(0)) {
            assertThat(store.store().find(ID, null)).isNull();
            assertThat(store.recent().mightContain(ID)).isFalse();
            apply();

            assertThat(store.store().find(ID, null)).isEqualTo(new Ledger.Found(42L, null, false, null, null));

            assertThat(store.recent().mightContain(ID)).isTrue();
        }
    }

    @Test
    void looksASecondTimeForTheResponseThatAnotherNodeWritesALittleLater() throws SQLException {
        apply();
        try (Store store = open(1 << 20, () -> {
            if (connections.incrementAndGet() == 2) {
                LEDGER.keep(
                        database.connect(),
                        List.of(new Ledger.Kept(new Response(ID.toUuid(), 204, "", new byte[0]), LONG)));
            }
            return database.connect();
        })) {
            Ledger.Found applied = store.store().find(ID, null);
            assertThat(applied).isEqualTo(new Ledger.Found(42L, null, true, null, null));

            assertThat(store.store().response(ID, applied))
                    .usingRecursiveComparison()
                    .isEqualTo(RESPONSE);

            assertThat(store.store().response(ID, store.store().find(ID, null)))
                    .usingRecursiveComparison()
                    .isEqualTo(RESPONSE);
            assertThat(connections).hasValue(3);
        }
    }

    @Test
    void asksTheLedgerForNoResponseThatIsInMemoryOrNotKept() {
        try (Store store = open(1 << 20);
                Store without = open(0)) {
            requireNonNull(store.store().responses(LONG)).accept(RESPONSE);

            assertThat(store.store().response(ID, null))
                    .usingRecursiveComparison()
                    .isEqualTo(RESPONSE);
            assertThat(store.store()
                            .response(
                                    OTHER, new Ledger.Found(null, Response.notKept(OTHER.toUuid()), false, null, null)))
                    .isNull();
            assertThat(without.store().response(ID, null)).isNull();
            assertThat(without.store().responses(LONG)).isNull();
            assertThat(connections).hasValue(0);
            assertThat(store.store().response(OTHER, null)).as("not applied").isNull();
        }
    }

    private static void apply() throws SQLException {
        Connection connection = database.begin();
        TestLedger.enter(connection, ID.toUuid());
        connection.commit();
    }

    private Store open(long maxResponseBytes) {
        return open(maxResponseBytes, () -> {
            connections.incrementAndGet();
            return database.connect();
        });
    }

    private static Store open(long maxResponseBytes, Callable<Connection> connections) {
        return Store.of(connections, false, maxResponseBytes);
    }
}
