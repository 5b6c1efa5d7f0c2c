package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterSizing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Filters of one sizing and one secret, each by a clock of its own, and the operations that each must remember. */
final class MergedFilters {

    private static final Duration TICK = Duration.ofMillis(10);

    /** So many that 15 % are more than four standard deviations. */
    private static final long FALSE_POSITIVES = 1_000;

    private final FilterSizing sizing;
    private final long[] secret = ProbeHash.randomSecret();
    private final List<HandClock> clocks = new ArrayList<>();
    private final List<AdaptiveFilter> filters = new ArrayList<>();
    private final List<Map<OperationId, Duration>> until = new ArrayList<>();
    private final SplittableRandom absent = new SplittableRandom(1);
    private Duration now = Duration.ZERO;
    private long puts;

    MergedFilters(int count, FilterSizing sizing) {
        this.sizing = sizing;
        for (int i = 0; i < count; i++) {
            HandClock clock = new HandClock();
            clock.set(Duration.ofHours(7L * i).plusNanos(123_456L * i));
            clocks.add(clock);
            filters.add(new AdaptiveFilter(
                    "test", sizing.plan(), new FilterMemory.Arenas(secret), FilterClock.of(clock), List.of()));
            until.add(new HashMap<>());
        }
    }

    AdaptiveFilter get(int filter) {
        return filters.get(filter);
    }

    int count() {
        return filters.size();
    }

    void put(int filter, int count) {
        for (int i = 0; i < count; i++) {
            OperationId id = new OperationId(puts++, 7);
            filters.get(filter).put(id);
            until.get(filter).put(id, now.plus(sizing.retryWindow()));
        }
    }

    void merge(int from, int into) {
        filters.get(into).merge(filters.get(from));
        until.get(from).forEach((id, end) -> until.get(into).merge(id, end, MergedFilters::later));
    }

    /** The filter {@code copy} becomes what another one is when it is written and read. */
    void writeAndRead(int filter, int copy) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filters.get(filter).writeTo(out);
        filters.set(
                copy,
                FilterStream.read(
                        "test", new ByteArrayInputStream(out.toByteArray()), FilterClock.of(clocks.get(copy))));
        until.set(copy, new HashMap<>(until.get(filter)));
    }

    private static Duration later(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    void pass(Duration duration) {
        for (Duration done = Duration.ZERO; done.compareTo(duration) < 0; done = done.plus(TICK)) {
            elapse(TICK);
            filters.forEach(filter -> {
                filter.maintain();
                filter.awaitGrowth();
            });
        }
    }

    /** Time goes by, and no filter is refreshed. */
    void elapse(Duration duration) {
        now = now.plus(duration);
        clocks.forEach(clock -> clock.advance(duration));
    }

    void checkThatNothingIsForgottenEarly() {
        for (int i = 0; i < count(); i++) {
            AdaptiveFilter filter = filters.get(i);
            until.get(i).values().removeIf(end -> end.compareTo(now) <= 0);
            OperationId[] ids = until.get(i).keySet().toArray(OperationId[]::new);
            boolean[] found = filter.mightContainAll(ids);
            for (int id = 0; id < ids.length; id++) {
                assertThat(found[id]).as("filter %d, operation %s", i, ids[id]).isTrue();
            }
        }
    }

    /** Counts false positives, where there are enough of them. */
    void checkFalsePositives(int filter) {
        double estimated = filters.get(filter).stats().estimatedFpp();
        if (estimated > 5e-4) {
            long checks = (long) (FALSE_POSITIVES / estimated);
            long found = 0;
            for (long i = 0; i < checks; i++) {
                found += filters.get(filter).mightContain(new OperationId(absent.nextLong(), 8)) ? 1 : 0;
            }
            assertThat((double) found / checks)
                    .as("false positives of filter %d, estimated %s", filter, estimated)
                    .isBetween(0.85 * estimated, 1.15 * estimated);
        }
    }

    /** Returns how many of all operations ever put a filter finds. */
    long found(int filter) {
        OperationId[] ids = new OperationId[(int) puts];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = new OperationId(i, 7);
        }
        long found = 0;
        for (boolean one : filters.get(filter).mightContainAll(ids)) {
            found += one ? 1 : 0;
        }
        return found;
    }
}
