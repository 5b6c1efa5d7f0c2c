package dev.fbf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.spring.AbsentLibraries;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Contexts that are closed while their JVM goes on: tests, and restarts by the developer tools. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class ClosedContextsTest {

    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    private static final int GARBAGE_COLLECTIONS = 100;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"filter", "ledger"})
    void leaveNeitherMappingsNorMeters(String mode, DataSource dataSource) throws Exception {
        assumeTrue(Files.isReadable(MAPPINGS), "the mappings of the process cannot be read");
        List<MeterRegistry> registries = new ArrayList<>();
        for (int restart = 0; restart < 2; restart++) {
            try (HttpApp app = start(dataSource, mode)) {
                app.bean(Guarded.class).pass("key " + restart);
                app.bean(SqlCounters.class).increment(IdempotencyKey.of("key " + restart), "home", 1);
                assertThat(mappings().isEmpty()).isEqualTo(mode.equals("ledger"));
                registries.add(app.bean(MeterRegistry.class));
                assertThat(registries.get(restart).getMeters()).anyMatch(ClosedContextsTest::isOurs);
            }
        }

        assertThat(registries).flatExtracting(MeterRegistry::getMeters).noneMatch(ClosedContextsTest::isOurs);
        for (int i = 0; i < GARBAGE_COLLECTIONS && !mappings().isEmpty(); i++) {
            System.gc();
        }
        assertThat(mappings()).isEmpty();
    }

    private HttpApp start(DataSource dataSource, String mode) {
        return HttpApp.start(dataSource, directory, App.class, AbsentLibraries.NONE, "fbf.mode=" + mode);
    }

    private static boolean isOurs(Meter meter) {
        return meter.getId().getName().startsWith("fbf.");
    }

    /** The mapped files of the directory. */
    private List<String> mappings() throws IOException {
        try (var lines = Files.lines(MAPPINGS)) {
            return lines.filter(line -> line.contains(directory.toString())).toList();
        }
    }

    static class Guarded {

        @IdempotentIncrement(scope = "guarded", key = "#key")
        void pass(String key) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class App {

        @Bean
        Guarded guarded() {
            return new Guarded();
        }

        @Bean
        SqlCounters counters(SqlCounters.Builder builder) {
            return builder.build();
        }
    }
}
