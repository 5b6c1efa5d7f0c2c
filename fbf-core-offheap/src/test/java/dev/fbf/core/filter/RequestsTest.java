package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Filters that remember requests beside operations. */
class RequestsTest {

    private static final Duration WINDOW = Duration.ofSeconds(50);
    private static final FilterPlan WITHOUT = plan(10, false);
    private static final FilterPlan WITH = plan(10, true);

    private static final OperationId OPERATION = new OperationId(1, 2);
    private static final long REQUEST = 3;
    private static final long ANOTHER = 5;

    private final HandClock clock = new HandClock();
    private final ForgetfulBloomFilter filter =
            new ForgetfulBloomFilter("views", WITH, new HeapArenas(), FilterClock.of(clock), List.of());

    @TempDir
    private Path temporary;

    @Test
    void restoresTheRequestWithItsOperation() {
        filter.restore(OPERATION, REQUEST, filter.millis());

        assertThat(filter.isOfAnotherRequest(OPERATION, REQUEST)).isFalse();
        assertThat(filter.isOfAnotherRequest(OPERATION, ANOTHER)).isTrue();
    }

    @Test
    void remembersWhatIsRestoredAsIfItHadBeenPutAtItsTime() {
        Duration step = WITH.period().dividedBy(4);
        List<Long> putAt = new ArrayList<>();
        long aWindowAgo = filter.millis() - WITH.window().toMillis();
        while (putAt.size() < 4 * (WITH.past() + 1) - 1) {
            filter.put(new OperationId(putAt.size(), 9));
            putAt.add(filter.millis());
            pass(step);
        }

        for (int i = 0; i < putAt.size(); i++) {
            filter.restore(new OperationId(~i, 9), null, putAt.get(i));
        }
        filter.restore(OPERATION, null, aWindowAgo);

        assertThat(filter.mightContain(OPERATION)).isFalse();
        for (int steps = 0; steps < 4 * (WITH.past() + 3); steps++) {
            for (int i = 0; i < putAt.size(); i++) {
                assertThat(filter.mightContain(new OperationId(~i, 9)))
                        .as("number %d, %d steps later", i, steps)
                        .isEqualTo(filter.mightContain(new OperationId(i, 9)));
            }
            pass(step);
        }
        assertThat(filter.mightContain(new OperationId(-1, 9))).isFalse();
    }

    private void pass(Duration duration) {
        clock.advance(duration);
        filter.maintain();
    }

    @Test
    void restoresWhatWasPutBeforeAGrowthInTheArenaOfItsTime() {
        long before = filter.millis();
        clock.advance(Duration.ofSeconds(1));
        filter.growTo(plan(100, true));
        OperationId later = new OperationId(7, 8);

        filter.restore(OPERATION, null, before);
        filter.restore(later, null, filter.millis() + 1);

        assertThat(filter.mightContain(OPERATION)).isTrue();
        assertThat(filter.newest().mightContain(OPERATION)).isFalse();
        assertThat(filter.newest().mightContain(later)).isTrue();
    }

    /** As after an upgrade: earlier operations may be of any request, and later ones are not. */
    @Test
    void blamesNoOperationThatWasPutWhenItRememberedNoRequests() {
        OperationId later = new OperationId(7, 8);
        try (FilterStore directory = open()) {
            directory.filter("views", WITHOUT).put(OPERATION);
        }
        try (FilterStore directory = open()) {
            ForgetfulBloomFilter filter = directory.filter("views", WITH);
            filter.putRequest(later, REQUEST);
            filter.put(later);

            assertThat(filter.mightContain(OPERATION)).isTrue();
            assertThat(filter.isOfAnotherRequest(OPERATION, REQUEST)).isFalse();
            assertThat(filter.isOfAnotherRequest(OPERATION, ANOTHER)).isFalse();
            assertThat(filter.isOfAnotherRequest(later, ANOTHER)).isTrue();
        }
    }

    @Test
    void findsTheRequestInTheArenaBeforeTheOperations() {
        filter.putRequest(OPERATION, REQUEST);
        filter.growTo(plan(100, true));
        filter.put(OPERATION);

        assertThat(filter.isOfAnotherRequest(OPERATION, REQUEST)).isFalse();
        assertThat(filter.isOfAnotherRequest(OPERATION, ANOTHER)).isTrue();
    }

    /** The disk may have got the operation and not the request. */
    @Test
    void refusesNoRequestWhileAPowerFailureMayHaveTakenSome() throws IOException {
        clock.boot(1);
        Path copy = temporary.resolve("copy");
        try (FilterStore directory = open()) {
            directory.filter("views", WITH).put(OPERATION);
            Files.createDirectory(copy);
            Files.copy(temporary.resolve("views~1.fbf"), copy.resolve("views~1.fbf"));
        }
        clock.boot(2);
        try (FilterStore directory = FilterStore.open(copy, clock)) {
            ForgetfulBloomFilter filter = directory.filter("views", WITH);

            assertThat(filter.mightContain(OPERATION)).isTrue();
            assertThat(filter.isOfAnotherRequest(OPERATION, REQUEST)).isFalse();
        }
    }

    /** At the end of a period, when every generation has as much as it is planned for. */
    @Tag("slow")
    @Test
    void missesFewOfTheRequestsThatReuseAKey() {
        FilterPlan plan = plan(1_000, true);
        SplittableRandom random = new SplittableRandom(1);
        try (FilterStore directory = open()) {
            ForgetfulBloomFilter filter = directory.filter("views", plan);
            for (int generation = 0; generation < plan.liveGenerations(); generation++) {
                clock.advance(plan.period());
                filter.maintain();
                for (long i = 0; i < plan.period().toMillis(); i++) {
                    filter.putRequest(id(random), random.nextLong());
                    filter.put(id(random));
                }
            }
            filter.put(OPERATION);
            int missed = 0;
            for (int i = 0; i < 1_000_000; i++) {
                missed += filter.isOfAnotherRequest(OPERATION, random.nextLong()) ? 0 : 1;
            }

            assertThat(filter.stats().estimatedFpp()).isBetween(1e-10, 1e-9);
            assertThat(missed).isBetween(1, 400);
        }
    }

    private static OperationId id(SplittableRandom random) {
        return new OperationId(random.nextLong(), random.nextLong());
    }

    private static FilterPlan plan(double rate, boolean requests) {
        return sizing(rate, requests).plan();
    }

    private static FilterSizing sizing(double rate, boolean requests) {
        return new FilterSizing(rate, WINDOW, 1e-9, FilterSizing.UNLIMITED, requests);
    }

    private FilterStore open() {
        return FilterStore.open(temporary, clock);
    }
}
