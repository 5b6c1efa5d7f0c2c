package dev.fbf.spring.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.fbf.core.StorageException;
import dev.fbf.core.file.LockedDirectory;
import dev.fbf.spring.FailureAnalyses;
import dev.fbf.spring.FbfAutoConfigurations;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.transaction.NodeStatus;
import java.nio.file.Path;
import java.util.Arrays;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class FbfAutoConfigurationTest {

    private static final AutoConfigurations FBF = FbfAutoConfigurations.all();

    @TempDir
    private Path directory;

    private ApplicationContextRunner runner;

    @BeforeEach
    void useATemporaryDirectory() {
        runner = new ApplicationContextRunner()
                .withConfiguration(FBF)
                .withPropertyValues(
                        "fbf.mode=filter", "fbf.directory=" + directory.resolve("fbf"), "fbf.schema.migrate=false");
    }

    @Test
    void backsOffWithoutADataSource() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(NodeStatus.class));
    }

    @Test
    void guardedMethodsWithoutADataSourceStopTheStartAndTellWhatToDo() {
        runner.withUserConfiguration(WithCounter.class).run(context -> {
            FailureAnalysis analysis = analysis(context);
            assertThat(analysis.getDescription())
                    .isEqualTo("@IdempotentIncrement on methods of " + Counter.class.getName()
                            + ": the application has neither a DataSource nor"
                            + " fbf's starter for Cassandra with a CqlSession, so nothing would be guarded.");
            assertThat(analysis.getAction())
                    .isEqualTo("Add a DataSource, or a CqlSession with fbf's starter for Cassandra; for tests, H2 in"
                            + " memory will do. Or set fbf.enabled=false to run unguarded on purpose.");
        });
    }

    @Test
    void guardedMethodsWithoutADataSourceRunUnguardedOnPurpose() {
        runner.withUserConfiguration(WithCounter.class)
                .withPropertyValues("fbf.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aScopeInFilterModeStopsTheStartIfTheBuildHasLeftFilterModeOut() {
        Class<?>[] built = Arrays.stream(FbfAutoConfigurations.classes())
                .filter(configuration -> !configuration.getPackageName().equals("dev.fbf.spring.filter"))
                .toArray(Class<?>[]::new);
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(built))
                .withUserConfiguration(WithDataSource.class, WithCounter.class)
                .withPropertyValues("fbf.scopes.counter.mode=filter", "fbf.schema.migrate=false")
                .run(context -> assertThat(analysis(context).getDescription())
                        .isEqualTo("The scope counter is in filter mode, which Spring left out when it processed the"
                                + " application ahead of time."));
    }

    @Test
    void aDirectoryInUseStopsTheStartAndTellsWhatToDo() {
        Path used = directory.resolve("fbf");
        try (LockedDirectory holder = LockedDirectory.open(used)) {
            assertThat(holder).hasToString(used.toString());
            runner.withUserConfiguration(WithDataSource.class, WithCounter.class)
                    .run(context -> {
                        FailureAnalysis analysis = analysis(context);
                        assertThat(analysis.getDescription())
                                .isEqualTo("The directory " + used + " is in use by this process.");
                        assertThat(analysis.getAction()).contains("fbf.directory");
                        assertThat(analysis.getCause()).isInstanceOf(StorageException.class);
                    });
        }
    }

    @ParameterizedTest
    @CsvSource({"3.5.8, false", "2.7.18, false", "4.0.0, true", "4.1.1, true", "10.0.0-M1, true", ", true"})
    void stopsTheStartOnASpringBootThatIsTooOldBeforeThereAreBeans(@Nullable String version, boolean starts) {
        runner.withInitializer(context -> SupportedBoot.require(version))
                .withUserConfiguration(WithCounter.class)
                .run(context -> {
                    if (starts) {
                        assertThat(context).getFailure().hasMessageContaining("neither a DataSource nor");
                    } else {
                        FailureAnalysis analysis = analysis(context);
                        assertThat(analysis.getDescription())
                                .contains("fbf needs Spring Boot 4 or newer, but this application has " + version);
                        assertThat(analysis.getAction()).contains("Upgrade");
                    }
                });
    }

    private static FailureAnalysis analysis(AssertableApplicationContext context) {
        return FailureAnalyses.of(requireNonNull(context.getStartupFailure()));
    }

    @Configuration(proxyBeanMethods = false)
    static class WithDataSource {
        @Bean
        DataSource dataSource() {
            return mock();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithCounter {
        @Bean
        Counter counter() {
            return new Counter();
        }
    }

    static class Counter {
        @IdempotentIncrement(scope = "counter", key = "#key")
        void count(String key) {}
    }
}
