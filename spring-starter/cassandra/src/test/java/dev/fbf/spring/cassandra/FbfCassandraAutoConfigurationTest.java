package dev.fbf.spring.cassandra;

import static com.datastax.oss.driver.api.core.config.DefaultDriverOption.RECONNECTION_BASE_DELAY;
import static com.datastax.oss.driver.api.core.config.DefaultDriverOption.RECONNECTION_MAX_DELAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import dev.fbf.cassandra.LaneSettings;
import dev.fbf.core.plan.FilterSizing;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cassandra.autoconfigure.DriverConfigLoaderBuilderCustomizer;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

class FbfCassandraAutoConfigurationTest {

    private final CqlSession session = mock();
    private final ApplicationContextRunner withoutSession = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(StreamSupport.stream(
                            ImportCandidates.load(AutoConfiguration.class, null).spliterator(), false)
                    .filter(name -> name.startsWith("dev.fbf.spring."))
                    .map(name -> ClassUtils.resolveClassName(name, null))
                    .toArray(Class<?>[]::new)));
    private final ApplicationContextRunner runner = withoutSession.withBean(CqlSession.class, () -> session);

    @Test
    void backsOffWithoutASession() {
        withoutSession.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(LaneGuards.class)
                .doesNotHaveBean(CassandraCounters.class)
                .doesNotHaveBean("fbfCassandraHealthIndicator"));
    }

    @Test
    void backsOffWhenDisabled() {
        runner.withPropertyValues("fbf.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LaneGuards.class)
                        .doesNotHaveBean(CassandraCounters.class)
                        .doesNotHaveBean(DriverConfigLoaderBuilderCustomizer.class));
    }

    @Test
    void asksCassandraForNothingWhereNothingIsCounted() {
        runner.run(context -> {
            assertThat(context)
                    .hasSingleBean(LaneGuards.class)
                    .hasBean("fbfCassandraHealthIndicator")
                    .hasSingleBean(LaneMeters.class);
            verifyNoInteractions(session);
        });
    }

    @Test
    void countersOfTheApplicationReplaceTheDefault() {
        CassandraCounters own = mock();
        runner.withBean(CassandraCounters.class, () -> own)
                .run(context ->
                        assertThat(context).getBean(CassandraCounters.class).isSameAs(own));
    }

    @Test
    void healthCanBeTurnedOff() {
        runner.withPropertyValues("management.health.fbf-cassandra.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("fbfCassandraHealthIndicator"));
    }

    @Test
    void startsWithoutActuatorAndMicrometer() {
        runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class, MeterBinder.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(LaneGuards.class)
                        .doesNotHaveBean("fbfCassandraHealthIndicator")
                        .doesNotHaveBean(LaneMeters.class));
    }

    @Test
    void sessionsReconnectSoon() {
        runner.run(context -> {
            DriverExecutionProfile driver = driver(context);
            assertThat(driver.getDuration(RECONNECTION_BASE_DELAY)).isEqualTo(Duration.ofMillis(250));
            assertThat(driver.getDuration(RECONNECTION_MAX_DELAY)).isEqualTo(Duration.ofSeconds(1));
        });
    }

    @Test
    void theApplicationsSettingsOfTheDriverWin() {
        runner.withUserConfiguration(WithCustomizer.class).run(context -> {
            DriverExecutionProfile driver = driver(context);
            assertThat(driver.getDuration(RECONNECTION_MAX_DELAY)).isEqualTo(Duration.ofMinutes(1));
            assertThat(driver.getDuration(RECONNECTION_BASE_DELAY)).isEqualTo(Duration.ofMillis(250));
        });
    }

    private static DriverExecutionProfile driver(AssertableApplicationContext context) {
        ProgrammaticDriverConfigLoaderBuilder builder = DriverConfigLoader.programmaticBuilder();
        context.getBeanProvider(DriverConfigLoaderBuilderCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(builder));
        try (DriverConfigLoader loader = builder.build()) {
            return loader.getInitialConfig().getDefaultProfile();
        }
    }

    @Test
    void defaultValuesAreConsistent() {
        FbfCassandraProperties properties = new Binder().bindOrCreate("fbf.cassandra", FbfCassandraProperties.class);
        LaneSettings defaults = new LaneSettings(
                "scope", new FilterSizing(1_000, Duration.ofMinutes(2), 1e-9, FilterSizing.UNLIMITED, true).plan());

        assertThat(properties.createTable()).isTrue();
        assertThat(properties.lanes()).isEqualTo(defaults.lanes());
        assertThat(properties.consistency()).isEqualTo(defaults.consistency());
        assertThat(properties.requestTimeout()).isEqualTo(defaults.timeout());
    }

    @Configuration(proxyBeanMethods = false)
    static class WithCustomizer {

        @Bean
        DriverConfigLoaderBuilderCustomizer customizer() {
            return builder -> builder.withDuration(RECONNECTION_MAX_DELAY, Duration.ofMinutes(1));
        }
    }
}
