package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilterDirectoryTest {

    private static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();
    private static final OperationId OPERATION = new OperationId(1, 2);

    private final HandClock clock = new HandClock();

    @TempDir
    private Path temporary;

    @Test
    void goesOnWithAnotherPlanAndRemembersWhatWasPutByTheFormerOne() {
        FilterPlan other = new FilterSizing(500, Duration.ofSeconds(20), 1e-6).plan();
        OperationId later = new OperationId(3, 4);
        try (FilterStore directory = open()) {
            directory.filter("views", PLAN).put(OPERATION);
        }
        try (FilterStore directory = open()) {
            ForgetfulBloomFilter filter = directory.filter("views", other);
            assertThat(filter.plan()).isEqualTo(other);
            assertThat(filter.mightContain(OPERATION)).isTrue();
            filter.put(later);
        }
        clock.advance(PLAN.window().minusMillis(1));
        try (FilterStore directory = open()) {
            ForgetfulBloomFilter filter = directory.filter("views", other);
            assertThat(filter.stats().arenas()).hasSize(2);
            assertThat(filter.mightContain(OPERATION)).isTrue();
            assertThat(filter.mightContain(later)).isFalse();

            clock.advance(Duration.ofMillis(1));
            filter.maintain();
            assertThat(filter.stats().arenas()).hasSize(1);
            assertThat(filter.mightContain(OPERATION)).isFalse();
        }
        assertThat(temporary)
                .isDirectoryContaining("glob:**views~2.fbf")
                .isDirectoryNotContaining("glob:**views~1.fbf");
    }

    @Test
    void takesTheNewPlanWhenAnOldArenaHasGone() throws IOException {
        long cap = 80_000;
        for (int rate = 10; rate < 12; rate++) {
            try (FilterStore directory = open()) {
                directory.filter("views", capped(rate, 50, cap)).put(new OperationId(rate, 0));
            }
        }
        try (FilterStore directory = open()) {
            ForgetfulBloomFilter filter = directory.filter("views", capped(12, 50, cap));
            filter.put(OPERATION);
            assertThat(filter.plan().stated().expectedOperationsPerSecond()).isEqualTo(11);
            assertThat(filter.stats().bytes()).isLessThanOrEqualTo(cap);

            clock.advance(filter.plan().window().minusMillis(1));
            filter.maintain();
            filter.awaitGrowth();
            assertThat(filter.mightContain(OPERATION)).isTrue();
            clock.advance(Duration.ofMillis(1));
            filter.maintain();
            System.gc(); // no reader has the old arena any more
            clock.advance(filter.plan().period());
            filter.maintain();
            filter.awaitGrowth();
            assertThat(filter.plan().stated().expectedOperationsPerSecond()).isEqualTo(12);
            assertThat(filter.stats().bytes()).isLessThanOrEqualTo(cap);
            assertThat(bytesOnDisk()).isLessThanOrEqualTo(cap);
        }
    }

    private static FilterPlan capped(int rate, int windowSeconds, long maxBytes) {
        return new FilterSizing(rate, Duration.ofSeconds(windowSeconds), 1e-9, maxBytes).plan();
    }

    private long bytesOnDisk() throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.filter(file -> file.toString().endsWith(".fbf"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    @Test
    void goesOnWithTheArenaThatAGrownFilterHad() {
        try (FilterStore directory = open()) {
            ForgetfulBloomFilter filter = directory.filter("views", PLAN);
            for (int i = 0; i < 100_000; i++) {
                filter.put(new OperationId(i, 1));
            }
            clock.advance(PLAN.period().dividedBy(2));
            filter.maintain();
            filter.awaitGrowth();
            assertThat(filter.stats().arenas()).hasSize(2);
        }
        clock.advance(PLAN.window().minus(PLAN.period()));
        try (FilterStore directory = open()) {
            ForgetfulBloomFilter filter = directory.filter("views", PLAN);
            // not the bytes: a file has a least size, which may do for a larger plan too
            assertThat(rate(filter.plan())).isGreaterThan(rate(PLAN));
            for (int i = 0; i < 100_000; i++) {
                assertThat(filter.mightContain(new OperationId(i, 1))).isTrue();
            }
        }
    }

    private static double rate(FilterPlan plan) {
        return plan.sizing().expectedOperationsPerSecond();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "a b", "ä"})
    void refusesAScopeThatIsNoFileName(String scope) {
        try (FilterStore directory = open()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> directory.filter(scope, PLAN))
                    .withMessageStartingWith("scope=" + scope + ": must match");
        }
    }

    @Test
    void removesTheFilesThatAKillLeftHalfMade() throws IOException {
        List<Path> others = List.of(
                Files.createFile(temporary.resolve("views~1.fbf.new.old")),
                Files.createFile(temporary.resolve("views.new")),
                Files.createFile(temporary.resolve("likes~1.fbf.new")),
                Files.createDirectory(temporary.resolve("views~2.fbf.new")));
        Files.createFile(temporary.resolve("views~7.fbf.new"));

        try (FilterStore directory = open()) {
            directory.filter("views", PLAN);
        }

        assertThat(temporary.resolve("views~7.fbf.new")).doesNotExist();
        assertThat(others).allMatch(Files::exists);
    }

    private FilterStore open() {
        return FilterStore.open(temporary, clock);
    }
}
