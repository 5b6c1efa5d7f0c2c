package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Death;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Refreshes that fail: by an {@link Error}, as in a mapped file whose disk is broken. */
class RefresherTest {

    private static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();

    @TempDir
    private Path temporary;

    private final HandClock clock = new HandClock();
    private final Scheduled scheduled = new Scheduled();

    @AfterEach
    void shutDown() {
        scheduled.shutdownNow();
    }

    @Test
    void goesOnAfterAnErrorAndTellsOfItUntilItSucceedsAgain() {
        AdaptiveFilter filter = new ArenaFiles(temporary, "views", clock).open(PLAN);
        Refresher refresher = new Refresher("views", filter, scheduled, fault -> {});
        refresher.run();
        assertThat(refresher.failure()).isNull();

        clock.dieAfter(0);
        refresher.run();
        assertThat(refresher.failure()).isInstanceOf(Death.class);
        assertThat(scheduled.count).isEqualTo(2);

        clock.liveOn();
        refresher.run();
        assertThat(refresher.failure()).isNull();
        assertThat(scheduled.count).isEqualTo(3);
    }

    @Test
    void passesOnEachFaultOfItsFileAndLogsTheFirst() throws IOException {
        AdaptiveFilter filter = new ArenaFiles(temporary, "views", clock).open(PLAN);
        List<InternalError> faults = new ArrayList<>();
        Refresher refresher = new Refresher("views", filter, scheduled, faults::add);
        Files.delete(temporary.resolve("views~1.fbf"));

        try (LogOfFilters log = new LogOfFilters(Refresher.class)) {
            refresher.run();
            assertThat(log.messages(Level.ERROR)).hasSize(1);
            refresher.run();

            assertThat(log.messages(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("The filter of scope views could not be refreshed");
        }
        assertThat(faults).hasSize(2);
    }

    @Test
    void goesOnThoughThereIsNoMemoryToScheduleTheNext() {
        AdaptiveFilter filter = new ArenaFiles(temporary, "views", clock).open(PLAN);
        scheduled.outOfMemory = true;

        new Refresher("views", filter, scheduled, fault -> {}).run();

        assertThat(scheduled.count).isEqualTo(1);
    }

    /** By the machine's clock, as the next one: all other tests of refreshes bring them about themselves. */
    @Test
    @Timeout(20)
    void refreshesTheFiltersOfADirectoryWhenThatIsDue() {
        FilterPlan everyFraction = new FilterSizing(10, Duration.ofSeconds(1), 1e-3).plan();
        try (FilterStore directory = FilterStore.open(temporary)) {
            ForgetfulBloomFilter filter = directory.filter("views", everyFraction);
            filter.put(OperationId.of("views", "", "a"));

            while (newest(filter).approximateElementCount() > 0
                    && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @Test
    @Timeout(20)
    void refreshesTheFiltersInMemoryOnceTheyAreStartedSoThatTheyGrow() throws InterruptedException {
        try (FilterStore memory = FilterStore.inMemory(false)) {
            ForgetfulBloomFilter filter =
                    memory.filter("views", new FilterSizing(1, Duration.ofSeconds(20), 1e-6).plan());
            long bytes = filter.stats().bytes();
            memory.start();
            for (int i = 0; filter.stats().bytes() == bytes; i++) {
                filter.put(new OperationId(i, 1));
                Thread.sleep(1);
            }

            assertThat(filter.mightContain(new OperationId(0, 1))).isTrue();
        }
    }

    private static GenerationStats newest(ForgetfulBloomFilter filter) {
        return filter.stats().arenas().get(0).generations().get(0);
    }

    /** Counts what is scheduled, and runs nothing. */
    private static final class Scheduled extends ScheduledThreadPoolExecutor {

        private int count;
        private boolean outOfMemory;

        Scheduled() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            if (outOfMemory) {
                outOfMemory = false;
                throw new OutOfMemoryError("on purpose");
            }
            count++;
            return super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }
    }
}
