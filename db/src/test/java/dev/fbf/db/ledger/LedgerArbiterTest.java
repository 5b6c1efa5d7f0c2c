package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.db.Arbiter;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Response;
import dev.fbf.db.StrangeConnections;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LedgerArbiterTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    /** More than it deletes in one transaction. */
    @Test
    void purgesAllOperationsThatHaveExpiredAndNoOther() throws SQLException {
        FbfDatabase.enterExpired(database.connect(), 1_500);
        FbfDatabase.enterKept(database.connect(), 1);
        try (LedgerArbiter arbiter = new LedgerArbiter(
                StrangeConnections.dataSource(database::connect), FbfDatabase.TABLES, noLookup(), 0)) {
            arbiter.purge();
            arbiter.purge(); // finds out that no other node purges
            arbiter.purge();
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
        try (LedgerArbiter arbiter = new LedgerArbiter(
                StrangeConnections.dataSource(() -> StrangeConnections.noting(database.connect(), (sql, connection) -> {
                    statements.incrementAndGet();
                    if (connection.getNetworkTimeout() == 0) {
                        unlimited.add(sql);
                    }
                })),
                FbfDatabase.TABLES,
                noLookup(),
                1 << 20)) {
            arbiter.purge();
            arbiter.purge();
            arbiter.awaitRecovered(Duration.ofSeconds(10));
            assertThat(arbiter.wasApplied(OperationId.of("scope", "", "key"), Duration.ofSeconds(10)))
                    .isFalse();
            Objects.requireNonNull(arbiter.responses(Duration.ofHours(1)))
                    .accept(new Response(UUID.randomUUID(), 204, "", Response.Ending.RETURNED, new byte[0]));
        }

        assertThat(statements).hasValueGreaterThan(8);
        assertThat(unlimited).isEmpty();
    }

    private static Arbiter.Lookup noLookup() {
        return new Arbiter.Lookup() {
            @Override
            public <T> T ask(Arbiter.Question<T> question) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
