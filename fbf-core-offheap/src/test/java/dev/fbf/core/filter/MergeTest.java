package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.Threads;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MergeTest {

    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final FilterSizing SIZING = new FilterSizing(20_000, WINDOW, 1e-2);
    private static final Duration TICK = Duration.ofMillis(10);

    private static final FilterPlan LARGER =
            new FilterSizing(80_000, WINDOW, 1e-2).plan().partOf(SIZING, true);

    private final HandClock clock = new HandClock();

    @Test
    void aFilterThatIsSplitOffAndMergedBackCountsAsOne() throws IOException {
        MergedFilters filters = new MergedFilters(2, SIZING);
        for (int tick = 0; tick < 100; tick++) {
            filters.put(0, 100);
            filters.pass(TICK);
        }
        filters.writeAndRead(0, 1);
        for (int tick = 0; tick < 100; tick++) {
            filters.put(0, 50);
            filters.put(1, 50);
            filters.pass(TICK);
        }
        FilterStats before = filters.get(0).stats();

        filters.merge(1, 0);

        filters.checkThatNothingIsForgottenEarly();
        FilterStats union = filters.get(0).stats();
        assertThat((double) union.approximateElementCount()).isCloseTo(20_000, Percentage.withPercentage(8));
        assertThat(union.arenas().get(0).generations())
                .hasSameSizeAs(before.arenas().get(0).generations());
        assertThat(filters.found(0)).isGreaterThanOrEqualTo(20_000);
    }

    @Test
    void aFilterThatIsWrittenAndReadIsOpenInAnotherMemory() throws IOException {
        OperationId id = new OperationId(1, 2);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        AdaptiveFilter filter = filter(SIZING, new long[] {1, 2, 3, 4, 5});
        assertThat(filter.newest().words().size())
                .as("words")
                .isEqualTo(SIZING.plan().bytes() / Long.BYTES);
        filter.put(id);
        filter.writeTo(written);

        try (FilterMemory memory = new FilterMemory()) {
            AdaptiveFilter read = memory.read("test", new ByteArrayInputStream(written.toByteArray()));

            assertThat(read.mightContain(id)).isTrue();
            assertThat(memory.filter("test", SIZING.plan())).isSameAs(read);
        }
    }

    @Test
    void mergesWhatHasGrown() {
        MergedFilters filters = new MergedFilters(2, SIZING);
        filters.put(1, 100);
        filters.get(1).growTo(LARGER);
        filters.put(1, 100);
        filters.put(0, 100);

        filters.merge(1, 0);
        filters.merge(0, 1);
        filters.pass(WINDOW.minus(TICK));

        filters.checkThatNothingIsForgottenEarly();
        filters.pass(WINDOW.multipliedBy(3)); // it shrinks to its first size meanwhile
        assertThat(filters.get(0).stats().arenas()).hasSize(1);
        assertThat(filters.found(0) + filters.found(1)).isZero();
    }

    /** Its superseded arena must now last as long as the other's, which is not superseded. */
    @Test
    void whatIsMergedIntoASupersededArenaIsRememberedForItsWindow() {
        MergedFilters filters = new MergedFilters(2, SIZING);
        filters.put(0, 100);
        filters.get(0).growTo(LARGER);
        filters.pass(WINDOW.dividedBy(2));
        filters.put(1, 100);

        filters.merge(1, 0);
        for (int i = 0; i < 19; i++) {
            filters.pass(WINDOW.dividedBy(20));
            filters.checkThatNothingIsForgottenEarly();
        }
    }

    /** The other's generation is sealed a little later than the one that it goes to. */
    @Test
    void aKeyThatWasPutJustBeforeItsGenerationWasSealedIsRememberedForItsWindow() {
        MergedFilters filters = new MergedFilters(2, SIZING);
        filters.elapse(filters.get(0).plan().period());
        filters.get(0).maintain();
        filters.elapse(TICK);
        filters.put(1, 1);
        filters.get(1).maintain();
        filters.merge(1, 0);

        Duration rest = WINDOW.minusMillis(5);
        filters.pass(rest.minus(TICK));
        filters.elapse(Duration.ofMillis(5));
        filters.get(0).maintain();

        filters.checkThatNothingIsForgottenEarly();
        assertThat(filters.found(0)).isEqualTo(1);
    }

    @Test
    @Tag("slow")
    void filtersThatAreOftenMergedIntoEachOtherForget() {
        MergedFilters filters = new MergedFilters(2, SIZING);
        filters.put(0, 100);

        for (int i = 0; i < 450; i++) {
            filters.merge(0, 1);
            filters.merge(1, 0);
            filters.pass(TICK);
        }

        assertThat(filters.found(0) + filters.found(1)).isZero();
    }

    @Test
    void aMergeKeepsWhatIsPutAndRefreshedMeanwhile() throws Exception {
        FilterSizing sizing = new FilterSizing(1_000, Duration.ofMillis(600), 1e-6);
        long[] secret = ProbeHash.randomSecret();
        AdaptiveFilter one = filter(sizing, secret);
        AdaptiveFilter other = filter(sizing, secret);
        AtomicBoolean stop = new AtomicBoolean();
        Threads.run(3, thread -> {
            while (thread == 0 && !stop.get()) {
                one.merge(other);
            }
            while (thread == 1 && !stop.get()) {
                one.maintain();
                other.maintain();
            }
            if (thread == 2) {
                try {
                    putMergeAndFind(one, other);
                } finally {
                    stop.set(true);
                }
            }
        });
    }

    private void putMergeAndFind(AdaptiveFilter one, AdaptiveFilter other) {
        for (int i = 0; i < 2_000; i++) {
            OperationId id = new OperationId(i, 1);
            (i % 2 == 0 ? one : other).put(id);
            if (i % 2 == 1) {
                one.merge(other);
            }
            for (int age : new int[] {0, 1, 10, 100, 500}) {
                if (age <= i) {
                    assertThat(one.mightContain(new OperationId(i - age, 1)))
                            .as("operation %d, %d ms after it was put", i - age, age)
                            .isTrue();
                }
            }
            clock.advance(Duration.ofMillis(1));
        }
    }

    @Test
    void refusesAFilterOfAnotherKind() {
        AdaptiveFilter filter = filter(SIZING, new long[] {1, 2, 3, 4, 5});

        assertThatIllegalArgumentException()
                .isThrownBy(() -> filter.merge(filter(SIZING, new long[] {1, 2, 3, 4, 6})))
                .withMessage("other: its sizing or secret differs");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> filter.merge(filter(new FilterSizing(20_000, WINDOW, 2e-2), new long[] {1, 2, 3, 4, 5})));
    }

    @Test
    void refusesAFilterThatWouldTakeItBeyondItsLimit() {
        long[] secret = {1, 2, 3, 4, 5};
        AdaptiveFilter filter = filter(SIZING.within(400_000), secret);
        AdaptiveFilter grown = filter(SIZING, secret);
        grown.growTo(LARGER);

        assertThatIllegalStateException().isThrownBy(() -> filter.merge(grown)).withMessageContaining("bytes");
        long both = grown.stats().bytes();
        AdaptiveFilter large = filter(SIZING.within(both), secret);
        assertThatIllegalStateException()
                .isThrownBy(() -> filter(SIZING.within(both - 1), secret).merge(grown));
        large.merge(grown);
        assertThat(large.stats().bytes()).isEqualTo(both);
        filter.close();
        assertThatIllegalStateException().isThrownBy(() -> filter.merge(grown)).withMessageContaining("closed");
    }

    @Test
    void lacksWhatTheOtherLacks() {
        AdaptiveFilter filter = filter(SIZING, new long[] {1, 2, 3, 4, 5});
        AdaptiveFilter other = filter(SIZING, new long[] {1, 2, 3, 4, 5});
        other.newest().noteIncomplete();
        AdaptiveFilter incomplete = new AdaptiveFilter(
                "test", SIZING.plan(), new FilterMemory.Arenas(null), FilterClock.of(clock), List.of(other.newest()));

        filter.merge(incomplete);

        assertThat(filter.incompleteFor()).isEqualTo(filter.plan().window());
    }

    private AdaptiveFilter filter(FilterSizing sizing, long[] secret) {
        return new AdaptiveFilter(
                "test", sizing.plan(), new FilterMemory.Arenas(secret), FilterClock.of(clock), List.of());
    }
}
