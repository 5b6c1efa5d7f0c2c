package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.autoconfigure.Operator;
import dev.fbf.spring.transaction.ConstantsOfTheTest;
import dev.fbf.spring.web.FaultyProxy.Passage;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.health.contributor.Status;

/** The health of an application whose pool reaches its database no more, and later does again. No request is needed to notice that. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
class UnreachableDatabaseTest {

    @SuppressWarnings("NullAway.Init")
    private static FaultyProxy proxy;

    @SuppressWarnings("NullAway.Init")
    private static HikariDataSource pool;

    @SuppressWarnings("NullAway.Init")
    private static HttpApp app;

    @SuppressWarnings("UnusedVariable") // the application has it
    UnreachableDatabaseTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, EmbeddedPostgres postgres, @TempDir Path directory) throws Exception {
        CountedTable.makeIn(PostgresExtension.newDatabase(postgres, "unreachable"));
        proxy = FaultyProxy.to(postgres.getPort());
        pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:postgresql://localhost:" + proxy.port() + "/unreachable?user=postgres");
        pool.setMaximumPoolSize(2);
        app = HttpApp.start(
                pool,
                directory,
                WaysToCount.class,
                "fbf.mode=" + mode,
                ConstantsOfTheTest.REGISTERED,
                HttpApp.SILENT_FAILURES);
    }

    @AfterEach
    void heal() {
        proxy.set(Passage.OPEN);
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        app.close();
        pool.close();
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource(names = "OPEN", mode = EnumSource.Mode.EXCLUDE)
    void isDownUntilTheDatabaseRespondsAgain(Passage fault) throws Exception {
        awaitStatus(Status.UP);

        proxy.set(fault);
        awaitStatus(Status.DOWN);
        assertThat(Operator.health(app).getDetails().get("obstacles"))
                .asString()
                .contains("it could not be written");

        proxy.set(Passage.OPEN);
        awaitStatus(Status.UP);
        assertThat(app.post("/own", "Idempotency-Key", UUID.randomUUID().toString())
                        .statusCode())
                .isEqualTo(200);
    }

    private static void awaitStatus(Status status) {
        await().untilAsserted(() -> assertThat(Operator.health(app).getStatus()).isEqualTo(status));
    }
}
