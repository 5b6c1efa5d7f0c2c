package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.Wire;
import dev.fbf.spring.autoconfigure.Operator;
import dev.fbf.spring.transaction.ConstantsOfTheTest;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.health.contributor.Status;

/** The health of an application whose database does not respond, and later does again. No request is needed to notice that. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class UnreachableDatabaseTest {

    @ParameterizedTest
    @EnumSource
    void isDownUntilTheDatabaseRespondsAgain(Mode mode, EmbeddedPostgres postgres, @TempDir Path directory)
            throws Exception {
        CountedTable.makeIn(PostgresExtension.newDatabase(postgres, "unreachable"));
        try (Wire wire = Wire.to(postgres.getPort());
                HikariDataSource pool = Pools.of(wire.dataSource("unreachable"), 2);
                HttpApp app = HttpApp.start(
                        pool,
                        directory,
                        WaysToCount.class,
                        "fbf.mode=" + mode,
                        ConstantsOfTheTest.REGISTERED,
                        HttpApp.SILENT_FAILURES)) {
            awaitStatus(Status.UP, app);
            wire.fallSilent();

            awaitStatus(Status.DOWN, app);
            assertThat(Operator.health(app).getDetails().get("obstacles"))
                    .asString()
                    .contains("it could not be written");

            wire.comeBack();
            awaitStatus(Status.UP, app);
            assertThat(app.post("/own", "Idempotency-Key", UUID.randomUUID().toString())
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static void awaitStatus(Status status, HttpApp app) {
        await().untilAsserted(() -> assertThat(Operator.health(app).getStatus()).isEqualTo(status));
    }
}
