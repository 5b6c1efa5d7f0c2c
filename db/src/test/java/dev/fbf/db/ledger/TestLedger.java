package dev.fbf.db.ledger;

import dev.fbf.core.claim.RecentOperations;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.db.dialect.TestDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The ledger in tests' databases, without a standby. */
final class TestLedger {

    static final Ledger LEDGER = TestDialect.LEDGER;

    private static final Duration HOUR = Duration.ofHours(1);

    private TestLedger() {}

    /** Enters an operation as another node does, in a transaction that stays open. */
    static void enter(Connection transaction, UUID operation) throws SQLException {
        if (LEDGER.insert(transaction, TestDialect.claim(operation, HOUR, 42L), null, true)
                        .refusal()
                != null) {
            throw new IllegalStateException("operation=" + operation + ": is known");
        }
    }

    /** Store whose callers have no connection, with the failures of its statements. */
    record Store(LedgerStore store, RecentOperations recent, List<SQLException> failures) implements AutoCloseable {

        static Store of(Callable<Connection> connections, boolean holdsConnection, long maxResponseBytes) {
            return of(connections, holdsConnection, maxResponseBytes, true);
        }

        static Store of(
                Callable<Connection> connections, boolean holdsConnection, long maxResponseBytes, boolean sendsCommit) {
            RecentOperations recent = new RecentOperations();
            List<SQLException> failures = new ArrayList<>();
            LedgerStore.Lookup lookup = new LedgerStore.Lookup() {
                @Override
                public boolean holdsConnection() {
                    return holdsConnection;
                }

                @Override
                public <T> @Nullable T ask(LedgerStore.Question<T> question) throws SQLException {
                    try (Connection connection =
                            StrangeConnections.dataSource(connections).getConnection()) {
                        return question.ask(connection);
                    }
                }
            };
            LedgerStore store = new LedgerStore(
                    StrangeConnections.dataSource(connections),
                    FbfDatabase.TABLES,
                    lookup,
                    sendsCommit,
                    recent,
                    null,
                    maxResponseBytes,
                    failures::add);
            return new Store(store, recent, failures);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
