package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Databases that fbf has no tables for, and pools that have no connection to spare. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class OtherDatabasesTest {

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void anApplicationThatGuardsNothingStartsOnH2WithoutTablesAndFiles(Mode mode) {
        Path directory = temporary.resolve("fbf");
        try (ConfigurableApplicationContext app = start(
                Application.class,
                "spring.datasource.url=jdbc:h2:mem:unguarded",
                "fbf.mode=" + mode,
                "fbf.directory=" + directory)) {
            assertThat(JdbcClient.create(app.getBean(DataSource.class))
                            .sql("SELECT count(*) FROM information_schema.tables WHERE lower(table_name) LIKE 'fbf%'")
                            .query(Long.class)
                            .single())
                    .isZero();
        }

        assertThat(directory).doesNotExist();
    }

    /** Its first guarded bean is made when the application runs. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void aDatabaseThatIsAwayAtTheFirstCallGetsItsTablesAtTheNext(Mode mode, EmbeddedPostgres postgres) {
        FragileDataSource away = new FragileDataSource(PostgresExtension.newDatabase(postgres, "away"));
        JdbcClient.create(away).sql("CREATE TABLE counted AS SELECT 0 AS value").update();
        away.cutOff();
        try (CountingApp app =
                CountingApp.start(temporary.resolve("away"), new String[] {"fbf.mode=" + mode}, context -> {
                    context.registerBean("dataSource", DataSource.class, () -> away);
                    context.registerBean(
                            "transactions", PlatformTransactionManager.class, () -> new JdbcTransactionManager(away));
                    context.registerBean(Counter.class, () -> new Counter(away), bean -> bean.setLazyInit(true));
                })) {
            assertUnavailable(() -> app.counter.count("a"));
            away.reconnect();

            assertThat(app.counter.count("a")).isEqualTo("counted");
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
        }
    }

    private static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
