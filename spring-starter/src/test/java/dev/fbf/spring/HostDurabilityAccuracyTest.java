package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** With everything forced to the disk that a power loss would take. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class HostDurabilityAccuracyTest extends AccuracyContract {

    private static final String DATABASE = "host_accuracy";

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
        return new String[] {"fbf.durability=host", "fbf.max-claims=64"};
    }

    @Override
    int operations() {
        return 800;
    }
}
