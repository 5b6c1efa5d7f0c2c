package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter that another store restores. */
@Timeout(20)
class FilterMemoryTest {

    private static final Duration WINDOW = Duration.ofMillis(200);

    private static OperationId id(int number) {
        return OperationId.of("test", "", Integer.toString(number));
    }

    @Test
    void remembersWhatWasPutAndForgetsItAfterItsWindow() throws InterruptedException {
        HandClock clock = new HandClock();
        AdaptiveFilter filter = new AdaptiveFilter(
                "test",
                new FilterSizing(10, WINDOW, 1e-9).plan(),
                new FilterMemory.Arenas(null),
                FilterClock.of(clock),
                List.of());
        try (FilterMemory memory = new FilterMemory()) {
            memory.add("test", filter);
            filter.put(id(1));

            assertThat(filter.mightContain(id(1))).isTrue();
            assertThat(filter.mightContain(id(2))).isFalse();
            while (filter.mightContain(id(1))) { // refreshed by the filter's own thread
                clock.advance(WINDOW);
                Thread.sleep(1);
            }
            assertThat(memory.failure("test")).isNull();
        }
    }

    @Test
    void restoresAnOperationAsOfItsTime() {
        Duration window = Duration.ofMinutes(10);
        FilterPlan plan = new FilterSizing(10, window, 1e-9, FilterSizing.UNLIMITED, true).plan();
        try (FilterMemory memory = new FilterMemory(false)) {
            ForgetfulBloomFilter filter = memory.filter("test", plan);
            OperationId request = id(3);
            filter.restore(id(1), request, filter.millis() - window.toMillis() / 2);
            filter.restore(id(2), null, filter.millis() - 2 * window.toMillis());

            assertThat(filter.mightContain(id(1))).isTrue();
            assertThat(filter.isOfAnotherRequest(id(1), request)).isFalse();
            assertThat(filter.isOfAnotherRequest(id(1), id(4))).isTrue();
            assertThat(filter.mightContain(id(2)))
                    .as("it is older than the window")
                    .isFalse();
        }
    }

    @Test
    void growsWithTheLoad() throws InterruptedException {
        try (FilterMemory memory = new FilterMemory(false)) {
            ForgetfulBloomFilter filter =
                    memory.filter("test", new FilterSizing(1, Duration.ofSeconds(20), 1e-6).plan());
            long bytes = filter.stats().bytes();
            memory.start();
            for (int i = 0; filter.stats().bytes() == bytes; i++) {
                filter.put(id(i));
                Thread.sleep(1);
            }

            assertThat(filter.mightContain(id(0))).isTrue();
        }
    }

    @Test
    void takesNothingOnceItIsClosed() {
        FilterMemory memory = new FilterMemory();
        ForgetfulBloomFilter filter = memory.filter("test", FilterSizing.DEFAULT.plan());
        memory.close();

        assertThatIllegalStateException().isThrownBy(() -> filter.put(id(1)));
    }
}
