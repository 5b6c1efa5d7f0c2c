package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two nodes, to which the same operations come at random, with a ledger between them. */
@ExtendWith(PostgresExtension.class)
@Tag("slow")
class LedgerAccuracyTest extends AccuracyContract {

    private static final String DATABASE = "ledger_accuracy";

    private static EmbeddedPostgres server;

    @BeforeAll
    static void create(EmbeddedPostgres postgres) {
        server = postgres;
        PostgresExtension.newDatabase(postgres, DATABASE);
    }

    @Override
    String[] dataSourceProperties() {
        return new String[] {
            "spring.datasource.url=" + server.getJdbcUrl("postgres", DATABASE), "spring.datasource.username=postgres"
        };
    }

    @Override
    String[] properties() {
        return new String[] {"fbf.mode=ledger"};
    }

    @Override
    int operations() {
        return 1_600;
    }

    @Override
    int nodes() {
        return 2;
    }
}
