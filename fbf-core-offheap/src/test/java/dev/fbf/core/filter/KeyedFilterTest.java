package dev.fbf.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class KeyedFilterTest {

    private static final byte[] SECRET = "a secret of sixteen bytes".getBytes(UTF_8);
    private static final Funnel<Click> CLICK =
            (click, into) -> into.put(click.page()).put(click.at());

    private record Click(String page, long at) {}

    @TempDir
    private Path directory;

    private static FilterBuilder builder() {
        return ForgetfulBloomFilter.builder().rate(1_000);
    }

    @Test
    void putTellsWhetherAKeyIsNew() {
        try (KeyedFilter filter = builder().inMemory()) {
            byte[] bytes = {1, 2, 3};
            Click click = new Click("home", 1);

            assertThat(filter.put(7)).isTrue();
            assertThat(filter.put(7)).isFalse();
            assertThat(filter.put("7")).isTrue();
            assertThat(filter.put(new StringBuilder("7"))).isFalse();
            assertThat(filter.put(bytes)).isTrue();
            assertThat(filter.put(bytes.clone())).isFalse();
            assertThat(filter.put(click, CLICK)).isTrue();
            assertThat(filter.put(new Click("home", 1), CLICK)).isFalse();
            assertThat(filter.put(new Click("home", 2), CLICK)).isTrue();
            assertThat(filter.mightContain(7)).isTrue();
            assertThat(filter.mightContain(8)).isFalse();
            assertThat(filter.mightContain("7")).isTrue();
            assertThat(filter.mightContain("8")).isFalse();
            assertThat(filter.mightContain(bytes)).isTrue();
            assertThat(filter.mightContain(new byte[3])).isFalse();
            assertThat(filter.mightContain(click, CLICK)).isTrue();
            assertThat(filter.mightContain(new Click("news", 1), CLICK)).isFalse();
            assertThat(filter.stats().approximateElementCount()).isBetween(4L, 6L);
        }
    }

    @Test
    void callsInBulkTellTheSame() {
        long[] numbers = LongStream.range(0, 200).map(i -> i * i % 150).toArray();
        String[] texts = LongStream.of(numbers).mapToObj(Long::toString).toArray(String[]::new);
        byte[][] bytes = LongStream.of(numbers)
                .mapToObj(number -> Long.toString(number).getBytes(UTF_8))
                .toArray(byte[][]::new);
        Click[] clicks = LongStream.of(numbers)
                .mapToObj(number -> new Click("home", number))
                .toArray(Click[]::new);
        try (KeyedFilter one = builder().inMemory();
                KeyedFilter all = builder().inMemory()) {
            boolean[] isNew = new boolean[numbers.length];
            for (int i = 0; i < numbers.length; i++) {
                isNew[i] = one.put(numbers[i]);
            }

            assertThat(all.mightContainAll(numbers)).containsOnly(false);
            assertThat(all.putAll(numbers)).isEqualTo(isNew);
            assertThat(all.putAll(texts)).isEqualTo(isNew);
            assertThat(all.putAll(bytes)).isEqualTo(isNew);
            assertThat(all.putAll(clicks, CLICK)).isEqualTo(isNew);
            assertThat(all.mightContainAll(numbers)).containsOnly(true);
            assertThat(all.mightContainAll(texts)).containsOnly(true);
            assertThat(all.mightContainAll(bytes)).containsOnly(true);
            assertThat(all.mightContainAll(clicks, CLICK)).containsOnly(true);
            assertThat(all.mightContainAll("0", "another", "1")).containsExactly(true, false, true);
            assertThat(all.mightContain("0") && all.mightContain(clicks[0], CLICK))
                    .isTrue();
            assertThat(all.putAll(new long[0])).isEmpty();
        }
    }

    /** Threads put the same keys at the same time, and generations are refreshed meanwhile. */
    @Test
    void exactlyOneOfManyPutsOfAKeyIsToldThatItIsNew() throws Exception {
        int threads = 3;
        int keys = 60_000;
        AtomicIntegerArray told = new AtomicIntegerArray(keys);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        // about a period a millisecond, and a window that outlasts all delays of the test's machine but one of seconds
        try (KeyedFilter filter = builder()
                .rate(1_000_000)
                .window(Duration.ofSeconds(5))
                .falsePositiveProbability(1e-9)
                .inMemory()) {
            List<Future<?>> puts = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                boolean inBulk = thread == 0;
                puts.add(executor.submit(() -> {
                    for (int first = 0; first < keys; first += 20) {
                        long[] some = LongStream.range(first, first + 20L).toArray();
                        boolean[] isNew = inBulk ? filter.putAll(some) : null;
                        for (int i = 0; i < some.length; i++) {
                            if (isNew == null ? filter.put(some[i]) : isNew[i]) {
                                told.incrementAndGet((int) some[i]);
                            }
                        }
                    }
                }));
            }
            for (Future<?> put : puts) {
                put.get();
            }
        } finally {
            executor.shutdownNow();
        }

        for (int key = 0; key < keys; key++) {
            assertThat(told.get(key)).as("key %d", key).isEqualTo(1);
        }
    }

    @Test
    void forgetsAKeyAfterItsWindow() throws InterruptedException {
        try (KeyedFilter filter = builder().window(Duration.ofMillis(100)).inMemory()) {
            filter.put(1);
            while (filter.mightContain(1)) {
                Thread.sleep(5);
            }

            assertThat(filter.put(1)).isTrue();
            assertThat(filter.failure()).isNull();
        }
    }

    @Test
    void keysOfAFileAreThereWhenItIsOpenedAgain() {
        try (KeyedFilter filter = builder().open(directory)) {
            filter.put("a");
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> builder().open(directory))
                    .withMessageContaining("is in use by this process");
        }

        try (KeyedFilter filter = builder().open(directory)) {
            assertThat(filter.put("a")).isFalse();
            assertThat(filter.incompleteFor()).isZero();
        }
        try (KeyedFilter filter = builder().rate(50_000).open(directory)) {
            assertThat(filter.stats().arenas()).hasSize(2);
            assertThat(filter.put("a")).isFalse();
            assertThat(filter.put("b")).isTrue();
        }
    }

    @Test
    void aFileIsNotOpenedWithAnotherSecret() {
        try (KeyedFilter filter = builder().secret(SECRET).open(directory)) {
            filter.put("a");
        }

        byte[] another = SECRET.clone();
        another[0]++;
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> builder().secret(another).open(directory))
                .withMessageContaining("another secret");
        try (KeyedFilter filter = builder().secret(SECRET).open(directory)) {
            assertThat(filter.put("a")).isFalse();
        }
    }

    @Test
    void statementsAreChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().secret(new byte[15]))
                .withMessage("secret: must have at least 16 bytes");
        assertThatIllegalArgumentException().isThrownBy(() -> builder().rate(0).inMemory());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().maxBytes(FilterSizing.MIN_BYTES).inMemory());
    }

    @Test
    void takesNothingOnceItIsClosed() {
        KeyedFilter filter = builder().open(directory);
        filter.close();
        filter.close();

        assertThatIllegalStateException().isThrownBy(() -> filter.put(1));
        assertThatIllegalStateException().isThrownBy(() -> filter.putAll(1, 2));
        assertThatIllegalStateException().isThrownBy(() -> filter.mightContainAll("1"));
    }
}
