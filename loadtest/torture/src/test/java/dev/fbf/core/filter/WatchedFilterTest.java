package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.WatchedFilter.WatchedArena;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedFilterTest {

    private static final String SCOPE = "views";

    @TempDir
    Path directory;

    private WatchedFilter watched;

    @BeforeEach
    void watch() {
        watched = new WatchedFilter(directory, SCOPE);
    }

    @Test
    void seesNoArenaWhereThereIsNone() throws Exception {
        assertThat(watched.look()).isEmpty();
    }

    @Test
    void seesWhatTheFilterSaysOfItself() throws Exception {
        try (FilterDirectory open = FilterDirectory.open(directory)) {
            FilterPlan plan = new FilterSizing(100, Duration.ofMinutes(1), 0.01).plan(false);
            ForgetfulBloomFilter filter = open.filter(SCOPE, plan);
            open.filter("another", plan);
            for (int i = 0; i < 5_000; i++) {
                filter.put(OperationId.of(SCOPE, "", Integer.toString(i)));
            }
            List<WatchedArena> arenas = watched.look();
            assertThat(arenas).hasSize(1);
            assertThat(arenas.get(0).number()).isEqualTo(1);
            assertThat(arenas.get(0).bytes()).isEqualTo(plan.bytes());
            assertThat(arenas.get(0).estimatedFpp())
                    .isPositive()
                    .isCloseTo(filter.stats().estimatedFpp(), within(1e-9));
        }
    }

    @Test
    void seesEachRefresh() throws Exception {
        try (FilterDirectory open = FilterDirectory.open(directory)) {
            open.filter(SCOPE, new FilterSizing(10, Duration.ofMillis(100), 0.01).plan(false));
            long epoch = watched.look().get(0).epoch();
            while (watched.look().get(0).epoch() < epoch + 3) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
    }

    @Test
    void seesTheArenasInTheirOrder() throws Exception {
        for (int rate = 1; rate <= 11; rate++) {
            try (FilterDirectory open = FilterDirectory.open(directory)) {
                open.filter(SCOPE, new FilterSizing(rate, Duration.ofMinutes(1), 0.01).plan(false));
            }
        }
        assertThat(watched.look())
                .extracting(WatchedArena::number)
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
    }
}
