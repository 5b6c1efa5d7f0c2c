package dev.fbf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionTemplate;

/** With fbf.enabled=false an application has all beans, and counts as if there were no guard. */
@ParameterizedClass
@ValueSource(strings = {"H2", "HSQLDB", "PostgreSQL"})
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
@Tag("slow")
class DisabledGuardTest {

    @TempDir
    private static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    private static String log = "";

    private final IdempotencyKey key = IdempotencyKey.of("key");
    private final SqlCounters counters = app.getBean("counters", SqlCounters.class);
    private final Views views = app.getBean(Views.class);

    @SuppressWarnings("UnusedVariable") // names the invocation
    private final String database;

    DisabledGuardTest(String database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(String database, EmbeddedPostgres postgres, CapturedOutput output) {
        if (database.equals("PostgreSQL")) {
            PostgresExtension.newDatabase(postgres, "disabled");
        }
        int before = output.getOut().length();
        app = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "fbf.enabled=false",
                        "fbf.key.require-time=true",
                        "fbf.directory=" + directory.resolve(database),
                        "spring.flyway.enabled=false",
                        "spring.datasource.url="
                                + (database.equals("PostgreSQL")
                                        ? postgres.getJdbcUrl("postgres", "disabled")
                                        : "jdbc:" + database.toLowerCase(Locale.ROOT) + ":mem:disabled"))
                .run();
        log = output.getOut().substring(before);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @Test
    void aRetryCountsAgainAndTheStartHasSaidSo() {
        assertThat(views.view("key", "again")).isEqualTo(1);
        assertThat(views.view("key", "again")).isEqualTo(2);
        assertThat(counters.value("again")).hasValue(2);
        assertThat(counters.increment(key, "keyed", 5)).isEqualTo(5);
        assertThat(counters.increment(key, "keyed", 5)).isEqualTo(10);
        assertThat(log.lines().filter(line -> line.contains("WARN") && line.contains("fbf.enabled=false")))
                .hasSize(1);
    }

    @Test
    void nothingIsWrittenToADirectory() {
        assertThat(Files.exists(directory.resolve(database))).isFalse();
    }

    @Test
    void aMethodWithoutAKeyIsCalled() {
        assertThat(views.viewByHeader("keyless")).isEqualTo(1);
    }

    @Test
    void whatAMethodHasCountedIsRolledBackWithIt() {
        assertThatIllegalStateException().isThrownBy(() -> views.fail("failed"));
        views.takeBack("taken back");

        assertThat(counters.values(List.of("failed", "taken back"))).isEmpty();
    }

    @Test
    void anIncrementIsPartOfTheCallersTransaction() {
        app.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
            counters.increment(key, Map.of("a", 1L, "b", 2L));
            assertThat(counters.values(List.of("a", "b"))).isEqualTo(Map.of("a", 1L, "b", 2L));
            status.setRollbackOnly();
        });

        assertThat(counters.value("a")).isEmpty();
    }

    @Test
    void aScopeAppliesItsWorkEachTime() {
        IdempotentScope scope = app.getBean(IdempotentOperations.class).scope("scope");

        assertThat(scope.execute(key, () -> counters.increment("scope"))).isTrue();
        assertThat(scope.execute(key, () -> counters.increment("scope"))).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> scope.execute(key, () -> {
                    counters.increment("scope");
                    throw new IllegalStateException();
                }));
        assertThat(counters.value("scope")).hasValue(2);
    }

    static class Views {

        private final SqlCounters counters;

        Views(SqlCounters counters) {
            this.counters = counters;
        }

        @IdempotentIncrement(scope = "views", key = "#key")
        long view(String key, String page) {
            return counters.increment(page);
        }

        @IdempotentIncrement
        long viewByHeader(String page) {
            return counters.increment(page);
        }

        @IdempotentIncrement
        void fail(String page) {
            counters.increment(page);
            throw new IllegalStateException();
        }

        @IdempotentIncrement
        void takeBack(String page) {
            counters.increment(page);
            TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        SqlCounters counters(SqlCounters.Builder builder) {
            return builder.build();
        }

        @Bean
        Views views(SqlCounters counters) {
            return new Views(counters);
        }
    }
}
