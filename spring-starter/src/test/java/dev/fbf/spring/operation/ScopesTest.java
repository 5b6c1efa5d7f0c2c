package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.fbf.core.plan.FilterSizing;
import dev.fbf.spring.FbfAutoConfigurations;
import dev.fbf.spring.IdempotentIncrement;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Properties of single scopes, as an application binds them. */
@ExtendWith(OutputCaptureExtension.class)
class ScopesTest {

    @TempDir
    private Path directory;

    private ApplicationContextRunner runner;

    @BeforeEach
    void useATemporaryDirectory() {
        runner = new ApplicationContextRunner()
                .withConfiguration(FbfAutoConfigurations.all())
                .withUserConfiguration(WithCounter.class)
                .withPropertyValues(
                        "fbf.mode=filter",
                        "fbf.directory=" + directory,
                        "fbf.schema.migrate=false",
                        "fbf.expected-operations-per-second=10",
                        "fbf.retry-window=1m");
    }

    @Test
    void aScopeCanHaveEachOfThemItsOwnWay() {
        runner.withPropertyValues(
                        "fbf.scopes[page-views.EU].expected-operations-per-second=20",
                        "fbf.scopes[page-views.EU].retry-window=2m",
                        "fbf.scopes[page-views.EU].false-positive-probability=1e-6",
                        "fbf.scopes[page-views.EU].max-size=1MB",
                        "fbf.scopes[page-views.EU].key.require-time=true",
                        "fbf.scopes[page-views.EU].key.max-skew=3s")
                .run(context -> {
                    ScopeDefinition settings = context.getBean(Scopes.class).of("page-views.EU");
                    assertThat(settings.sizing(false))
                            .isEqualTo(new FilterSizing(20, Duration.ofMinutes(2), 1e-6, 1 << 20));
                    assertThat(settings.requireTime()).isTrue();
                    assertThat(settings.maxSkew()).isEqualTo(Duration.ofSeconds(3));
                });
    }

    @Test
    void theWindowThatAMethodDeclaresYieldsToAPropertyOfItsScope() {
        runner.withUserConfiguration(Jobs.class)
                .withPropertyValues("fbf.scopes.reports.retry-window=2h", "jobs.window=30d")
                .run(context -> {
                    Scopes scopes = context.getBean(Scopes.class);
                    assertThat(scopes.of("invoices").retryWindow()).isEqualTo(Duration.ofDays(30));
                    assertThat(scopes.of("reports").retryWindow()).isEqualTo(Duration.ofHours(2));
                    assertThat(scopes.of("reminders").retryWindow()).isEqualTo(Duration.ofMinutes(1));
                });
    }

    @Test
    void settingsForAScopeThatNoMethodHasAreWarnedOf(CapturedOutput output) {
        runner.withPropertyValues("fbf.scopes.click.retry-window=3m")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("fbf.scopes.click is set, but no scope found so far has the name click; the scopes found are"
                        + " [clicks, page-views.EU]")
                .contains("a scope without its own settings uses those of all scopes.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fbf.scopes.page-views.EU.retry-window",
                "fbf.scopes.clicks.retry-windw",
                "fbf.retry-windw",
                "fbf.key.strict",
                "fbf.settle-timeout"
            })
    void whatNobodyWouldReadStopsTheStart(String property) {
        runner.withPropertyValues(property + "=3m")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(
                                "The elements [" + property.toLowerCase(Locale.ROOT) + "] were left unbound."));
    }

    @ParameterizedTest
    @CsvSource({
        "fbf.scopes.clicks.expected-operations-per-second, 0",
        "fbf.scopes.clicks.retry-window, 600",
        "fbf.scopes.clicks.false-positive-probability, 1",
        "fbf.scopes.clicks.max-size, 1KB",
        "fbf.scopes.clicks.max-size, 64KB",
        "fbf.scopes.clicks.key.max-skew, 10m",
        "fbf.scopes[page-views.EU].retry-window, 31d"
    })
    void aValueOutOfRangeStopsTheStartByItsName(String property, String value) {
        runner.withPropertyValues("fbf.expected-operations-per-second=1000", property + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .asInstanceOf(type(InvalidConfigurationPropertyValueException.class))
                        .extracting(InvalidConfigurationPropertyValueException::getName)
                        .isEqualTo(property));
    }

    static class Jobs {

        @IdempotentIncrement(scope = "invoices", key = "#month", retryWindow = "${jobs.window}")
        void bill(String month) {}

        @IdempotentIncrement(scope = "reports", key = "#month", retryWindow = "30d")
        void report(String month) {}

        @IdempotentIncrement(scope = "reminders", key = "#month")
        void remind(String month) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithCounter {

        @Bean
        DataSource dataSource() throws SQLException {
            DataSource unreachable = mock();
            when(unreachable.getConnection()).thenThrow(new SQLException("no route to host", "08001"));
            return unreachable;
        }

        @Bean
        JdbcTransactionManager transactions(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Counter counter() {
            return new Counter();
        }
    }

    static class Counter {

        @IdempotentIncrement(scope = "page-views.EU", key = "#key")
        void view(String key) {}

        @IdempotentIncrement(scope = "clicks", key = "#key")
        void click(String key) {}
    }
}
