package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import dev.fbf.loadtest.bench.Increments;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** The contender that the counters are compared with. No run of the benchmark checks its values, which have every retry. */
@Tag("slow")
class GroupedUpsertTest {

    @Test
    void countsEachCallOfManyCallersAndTellsThemWhenItFailed(@TempDir Path directory) throws Exception {
        GuardContender contender = GuardContender.GROUPED_UPSERT;
        Path home = Path.of("..", "target", "postgres");
        try (BenchDatabase database = BenchDatabase.start(home, directory, 2, 1, List.of(contender), "")) {
            Increments increments = database.application(contender, directory, Map.of());
            IntStream.range(0, 500).parallel().forEach(call -> increments.increment(0, "the same"));
            assertThat(database.counters(contender)).containsExactly(500L);

            JdbcTemplate jdbc = new JdbcTemplate(database.pool());
            jdbc.execute("ALTER TABLE " + contender.counters() + " RENAME TO hidden");
            assertThatException()
                    .isThrownBy(() -> increments.increment(0, "the same"))
                    .withStackTraceContaining(contender.counters());
            jdbc.execute("ALTER TABLE hidden RENAME TO " + contender.counters());
            increments.increment(0, "the same");
            assertThat(database.counters(contender)).containsExactly(501L);
        }
    }
}
