package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
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
    void remembersAcrossACleanRestart() {
        try (FilterStore directory = open()) {
            directory.filter("views", PLAN).put(OPERATION);
        }
        clock.advance(PLAN.window().minusMillis(1));
        try (FilterStore directory = open()) {
            assertThat(directory.filter("views", PLAN).mightContain(OPERATION)).isTrue();
            assertThat(directory.filter("likes", PLAN).mightContain(OPERATION)).isFalse();
        }
    }

    @Test
    void makesUpTheRefreshesThatWereMissedWhileItWasClosed() {
        try (FilterStore directory = open()) {
            directory.filter("views", PLAN).put(OPERATION);
        }
        clock.advance(PLAN.window().plus(PLAN.period()).plusMillis(1));
        try (FilterStore directory = open()) {
            assertThat(directory.filter("views", PLAN).mightContain(OPERATION)).isFalse();
        }
    }

    @Test
    void remembersNoShorterAndNoLongerWhenTheMachinesClockWasSetBackMeanwhile() {
        try (FilterStore directory = open()) {
            directory.filter("views", PLAN).put(OPERATION);
        }
        clock.set(Duration.ofDays(-1));
        assertRemembersForAWindowFromNow();
    }

    @Test
    void remembersNoShorterWhenTheMachinesClockWasSetForwardMeanwhile() {
        clock.boot(1);
        try (FilterStore directory = open()) {
            directory.filter("views", PLAN).put(OPERATION);
        }
        clock.set(Duration.ofDays(1));
        assertRemembersForAWindowFromNow();
    }

    @Test
    void believesTheClockOfAMachineThatWasStartedAnew() {
        clock.boot(1);
        try (FilterStore directory = open()) {
            directory.filter("views", PLAN).put(OPERATION);
        }
        clock.boot(2);
        clock.advance(PLAN.window().plus(PLAN.period()).plusMillis(1));
        try (FilterStore directory = open()) {
            assertThat(directory.filter("views", PLAN).mightContain(OPERATION)).isFalse();
        }
    }

    private void assertRemembersForAWindowFromNow() {
        try (FilterStore directory = open()) {
            AdaptiveFilter filter = directory.filter("views", PLAN);
            Duration step = PLAN.period().dividedBy(2);
            for (Duration age = Duration.ZERO; age.compareTo(PLAN.window()) < 0; age = age.plus(step)) {
                assertThat(filter.mightContain(OPERATION)).as("%s old", age).isTrue();
                clock.advance(step);
                filter.maintain();
            }
            clock.advance(PLAN.period());
            filter.maintain();
            clock.advance(PLAN.period());
            filter.maintain();
            assertThat(filter.mightContain(OPERATION)).isFalse();
        }
    }

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
            ((AdaptiveFilter) filter).maintain();
            assertThat(filter.stats().arenas()).hasSize(1);
            assertThat(filter.mightContain(OPERATION)).isFalse();
        }
        assertThat(temporary)
                .isDirectoryContaining("glob:**views~2.fbf")
                .isDirectoryNotContaining("glob:**views~1.fbf");
    }

    @Test
    void lacksOperationsAfterTheFileOfAnOlderArenaWasDeletedWhileItWasInUse() throws IOException {
        try (FilterStore directory = open()) {
            directory.filter("views", PLAN).put(OPERATION);
        }
        FilterPlan other = new FilterSizing(20, Duration.ofSeconds(50), 1e-9).plan();
        try (FilterStore directory = open()) {
            AdaptiveFilter filter = directory.filter("views", other);
            assertThat(filter.lackingFor()).isZero();
            Files.delete(temporary.resolve("views~1.fbf"));

            assertThatExceptionOfType(InternalError.class)
                    .isThrownBy(filter::maintain)
                    .withMessageContaining("views~1.fbf: the file was deleted or moved while it was in use");
        }
        for (int start = 0; start < 2; start++) {
            try (FilterStore directory = open()) {
                assertThat(directory.filter("views", other).lackingFor()).isEqualTo(other.window());
            }
        }
    }

    @Test
    void keepsToItsLargestSizeWhenThePlanChangesAtEachStart() throws IOException {
        long cap = 70_000;
        long most = 0;
        for (int rate = 10; rate < 14; rate++) {
            try (FilterStore directory = open()) {
                ForgetfulBloomFilter filter = directory.filter("views", capped(rate, 50, cap));
                filter.put(new OperationId(rate, 0));
                for (int earlier = 10; earlier <= rate; earlier++) {
                    assertThat(filter.mightContain(new OperationId(earlier, 0))).isTrue();
                }
                assertThat(filter.plan().stated().expectedOperationsPerSecond()).isEqualTo(10);
                most = Math.max(most, bytesOnDisk());
            }
        }
        assertThat(most).isLessThanOrEqualTo(cap);
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
            AdaptiveFilter filter = directory.filter("views", capped(12, 50, cap));
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

    @Test
    void doesNotGoOnWithAPlanThatForgetsEarlierThanIsAskedNow() throws IOException {
        try (FilterStore directory = open()) {
            directory.filter("views", capped(10, 50, 70_000)).put(OPERATION);
        }
        try (FilterStore directory = open()) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> directory.filter("views", capped(10, 60, 70_000)))
                    .withMessageContaining("needs 73,728 bytes with the new settings")
                    .withMessageContaining("Raise the limit to the needed size")
                    .satisfies(e -> assertThat(e.setting()).isEqualTo(StorageException.Setting.MAX_BYTES));
            assertThat(directory.filter("views", capped(10, 60, 73_728)).mightContain(OPERATION))
                    .isTrue();
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
            ((AdaptiveFilter) filter).maintain();
            ((AdaptiveFilter) filter).awaitGrowth();
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

    @Test
    void givesTheSameFilterForTheSameScope() {
        try (FilterStore directory = open()) {
            assertThat(directory.filter("views", PLAN)).isSameAs(directory.filter("views", PLAN));
        }
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
    void refusesUseAfterItWasClosed() {
        FilterStore directory = open();
        ForgetfulBloomFilter filter = directory.filter("views", PLAN);
        directory.close();

        assertThatIllegalStateException().isThrownBy(() -> directory.filter("likes", PLAN));
        assertThatIllegalStateException().isThrownBy(() -> filter.put(OPERATION));
        assertThatIllegalStateException().isThrownBy(() -> filter.mightContain(OPERATION));
    }

    @Test
    void refusesASecondOpeningOfTheDirectoryAndGoesOnWithTheFirst() {
        try (FilterStore first = open()) {
            first.filter("views", PLAN).put(OPERATION);
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> FilterStore.open(temporary))
                        .withMessage("The directory " + temporary + " is in use by this process. Close the first"
                                + " one, or give each its own directory, also in tests that share a JVM.")
                        .satisfies(e -> assertThat(e.setting()).isEqualTo(StorageException.Setting.DIRECTORY));
            }
            assertThat(first.filter("views", PLAN).mightContain(OPERATION)).isTrue();
        }
        FilterStore.open(temporary).close();
    }

    /** By then another process may have the directory open. */
    @Test
    void doesNothingWhenItIsClosedAgain() {
        FilterStore first = open();
        first.filter("views", PLAN);
        first.close();
        clock.advance(PLAN.period());
        try (FilterStore second = open()) {
            second.filter("views", PLAN).put(OPERATION);

            first.close();

            assertThat(new ArenaHeader(ArenaFiles.map(file())).get(FilterLayout.CLOSED_AT_WORD))
                    .as("closed at")
                    .isEqualTo(FilterLayout.NONE);
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(this::open)
                    .withMessageContaining("is in use by this process");
        }
        open().close();
    }

    @Test
    void opensNoFilterAfterItWasClosedWhileOthersOpenSome() throws Exception {
        for (int round = 0; round < 50; round++) {
            Path path = temporary.resolve(Integer.toString(round));
            FilterStore directory = FilterStore.open(path, clock);
            CountDownLatch start = new CountDownLatch(1);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
                start.countDown();
                directory.close();
            });
            start.await();
            try {
                directory.filter("views", PLAN);
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("the filters were closed");
            }
            closing.get();
            Path file = path.resolve("views~1.fbf");
            if (Files.exists(file)) {
                assertThat(new ArenaHeader(ArenaFiles.map(file)).get(FilterLayout.CLOSED_AT_WORD))
                        .as("closed at")
                        .isNotEqualTo(FilterLayout.NONE);
            }
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

    @Test
    void removesNothingThatAnotherMayBeMaking() throws IOException {
        FilterStore directory = open();
        Path half = Files.createFile(temporary.resolve("views~7.fbf.new"));

        assertThatExceptionOfType(StorageException.class).isThrownBy(this::open);

        assertThat(half).exists();
        directory.close();
    }

    private FilterStore open() {
        return FilterStore.open(temporary, clock);
    }

    private Path file() {
        return temporary.resolve("views~1.fbf");
    }
}
