package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Death;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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
        ForgetfulBloomFilter filter = new ArenaFiles(temporary, "views", clock).open(PLAN);
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

    /** Counts what is scheduled, and runs nothing. */
    private static final class Scheduled extends ScheduledThreadPoolExecutor {

        private int count;

        Scheduled() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            count++;
            return super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }
    }
}
