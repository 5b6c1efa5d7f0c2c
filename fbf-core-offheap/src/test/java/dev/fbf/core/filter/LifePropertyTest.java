package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.Size;

/** A filter under any events, compared with a plain set with times: it forgets nothing early and everything late. */
class LifePropertyTest {

    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final List<FilterPlan> PLANS = List.of(
            new FilterSizing(500, WINDOW, 1e-6).plan(),
            new FilterSizing(2_000, WINDOW.multipliedBy(2), 1e-6).plan(),
            new FilterSizing(500, WINDOW, 1e-6).plan(Rule.SINGLE, 5),
            new FilterSizing(500, WINDOW, 1e-6).plan(Rule.PAPER, 4));

    /** Something that happens; {@code amount} is from 1 to 100. */
    private enum Event {
        PUT_SOME,
        PUT_MANY,
        LET_TIME_PASS,
        LET_A_WINDOW_PASS,
        MISS_REFRESHES,
        CLOSE_AND_OPEN,
        CLOSE_AND_OPEN_LATER,
        KILL_AND_OPEN,
        SET_CLOCK_WHILE_CLOSED,
        START_MACHINE_WITH_CLOCK_SET_BACK,
        CHANGE_PLAN
    }

    private record Step(Event event, int amount) {}

    @Provide
    Arbitrary<Step> steps() {
        return Combinators.combine(
                        Arbitraries.of(Event.class), Arbitraries.integers().between(1, 100))
                .as(Step::new);
    }

    @Property(tries = 25, shrinking = ShrinkingMode.OFF)
    void forgetsNothingEarlyAndEverythingLate(@ForAll @Size(max = 40) List<@From("steps") Step> steps)
            throws IOException {
        try (Life life = new Life()) {
            for (Step step : steps) {
                life.live(step);
                life.checkThatNothingIsForgottenEarly(step);
            }
            life.checkThatAllIsForgottenLate();
        }
    }

    /** A filter, and the operations that it must remember. */
    private static final class Life implements AutoCloseable {

        private static final Duration TICK = Duration.ofMillis(10);

        private final Path temporary = Files.createTempDirectory("fbf-life-");
        private final HandClock clock = new HandClock();
        private final Map<OperationId, Duration> until = new LinkedHashMap<>();
        private Path directory = Files.createDirectory(temporary.resolve("0"));
        private FilterPlan plan = PLANS.get(0);
        private ForgetfulBloomFilter filter;
        /** A time that no clock can be set to. */
        private Duration now = Duration.ZERO;

        private Duration clockAhead = Duration.ZERO;
        private long boots = 1;
        private long puts;
        private int kills;

        Life() throws IOException {
            clock.boot(boots);
            filter = open();
        }

        void live(Step step) throws IOException {
            int amount = step.amount();
            switch (step.event()) {
                case PUT_SOME -> put(amount / 10 + 1);
                case PUT_MANY -> putForAWhile(amount);
                case LET_TIME_PASS -> pass(Duration.ofMillis(10L * amount));
                case LET_A_WINDOW_PASS -> pass(plan.window());
                case MISS_REFRESHES -> elapse(Duration.ofMillis(20L * amount));
                case CLOSE_AND_OPEN -> reopenAfter(Duration.ZERO);
                case CLOSE_AND_OPEN_LATER -> reopenAfter(Duration.ofMillis(30L * amount));
                case KILL_AND_OPEN -> killAndOpen();
                case SET_CLOCK_WHILE_CLOSED -> {
                    filter.close();
                    setClockAhead(Duration.ofHours(amount - 50));
                    filter = open();
                }
                case START_MACHINE_WITH_CLOCK_SET_BACK -> {
                    filter.close();
                    clock.boot(++boots);
                    setClockAhead(Duration.ofHours(-amount));
                    filter = open();
                }
                case CHANGE_PLAN -> {
                    plan = PLANS.get(amount % PLANS.size());
                    reopenAfter(Duration.ZERO);
                }
            }
        }

        void checkThatNothingIsForgottenEarly(Step step) {
            until.forEach((id, end) -> {
                if (now.compareTo(end) < 0) {
                    assertThat(filter.mightContain(id))
                            .as("operation %s %s before its window ends, after %s", id, end.minus(now), step)
                            .isTrue();
                }
            });
        }

        void checkThatAllIsForgottenLate() {
            // the widest window, twice, since the remains of a kill may count as put when the file was opened
            for (int tick = 0; tick < 400; tick++) {
                pass(WINDOW.dividedBy(40), WINDOW.dividedBy(40));
                filter.awaitGrowth(); // no time passes meanwhile: the thread that makes an arena may be slow
            }
            assertThat(until.keySet()).noneMatch(filter::mightContain);
            assertThat(filter.stats().arenas()).hasSize(1);
        }

        private void put(int count) {
            for (int i = 0; i < count; i++) {
                OperationId id = new OperationId(puts++, 7);
                until.put(id, now.plus(plan.stated().retryWindow()));
                filter.put(id);
            }
        }

        /** Up to twenty times the planned load. */
        private void putForAWhile(int amount) {
            for (int tick = 0; tick < 20; tick++) {
                put(amount);
                pass(TICK);
            }
        }

        private void pass(Duration duration) {
            pass(duration, TICK);
        }

        private void pass(Duration duration, Duration tick) {
            for (Duration done = Duration.ZERO; done.compareTo(duration) < 0; done = done.plus(tick)) {
                elapse(tick);
                filter.maintain();
            }
        }

        private void elapse(Duration duration) {
            now = now.plus(duration);
            clock.advance(duration);
        }

        private void setClockAhead(Duration ahead) {
            clock.set(ahead.minus(clockAhead));
            clockAhead = ahead;
        }

        private void reopenAfter(Duration closed) {
            filter.close();
            elapse(closed);
            filter = open();
        }

        private void killAndOpen() throws IOException {
            Path copy = temporary.resolve(Integer.toString(++kills));
            KilledProcess.leave(directory, copy);
            filter.close();
            directory = copy;
            filter = open();
        }

        private ForgetfulBloomFilter open() {
            return new ArenaFiles(directory, "life", clock).open(plan);
        }

        @Override
        public void close() throws IOException {
            filter.close();
            try (Stream<Path> paths = Files.walk(temporary)) {
                paths.sorted(Comparator.reverseOrder()).forEach(path -> {
                    try {
                        Files.delete(path);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            }
        }
    }
}
