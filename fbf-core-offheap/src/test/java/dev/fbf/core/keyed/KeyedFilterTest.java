package dev.fbf.core.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.StorageException;
import dev.fbf.core.Threads;
import dev.fbf.core.plan.FilterSizing;
import java.nio.CharBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class KeyedFilterTest {

    private static final Funnel<Click> CLICK =
            (click, into) -> into.put(click.page()).put(click.at());

    private record Click(String page, long at) {}

    @TempDir
    private Path directory;

    private static final FilterSizing SIZING = new FilterSizing(1_000, Duration.ofMinutes(10), 1e-9);

    private static <K> KeyedFilter<K> inMemory(Funnel<? super K> funnel) {
        return KeyedFilter.inMemory(funnel, SIZING);
    }

    private KeyedFilter<CharSequence> open() {
        return KeyedFilter.open(directory, Funnel.TEXT, SIZING);
    }

    @Test
    void putTellsWhetherAKeyIsNew() {
        try (KeyedFilter<Click> filter = inMemory(CLICK)) {
            Click click = new Click("home", 1);

            assertThat(filter.mightContain(click)).isFalse();
            assertThat(filter.put(click)).isTrue();
            assertThat(filter.put(new Click("home", 1))).isFalse();
            assertThat(filter.put(new Click("home", 2))).isTrue();
            assertThat(filter.mightContain(click)).isTrue();
            assertThat(filter.mightContain(new Click("news", 1))).isFalse();
            assertThat(filter.stats().estimatedFpp()).isLessThan(1e-9);
        }
    }

    @Test
    void keysAreTextBytesOrNumbers() {
        try (KeyedFilter<CharSequence> texts = inMemory(Funnel.TEXT);
                KeyedFilter<byte[]> bytes = inMemory(Funnel.BYTES);
                KeyedFilter<Long> numbers = inMemory(Funnel.NUMBER)) {
            assertThat(texts.put("7")).isTrue();
            assertThat(texts.put(CharBuffer.wrap("7"))).isFalse();
            assertThat(bytes.put(new byte[] {7})).isTrue();
            assertThat(bytes.put(new byte[] {7})).isFalse();
            assertThat(numbers.put(7L)).isTrue();
            assertThat(numbers.put(7L)).isFalse();
        }
    }

    /** Threads put the same keys at the same time, and generations are refreshed meanwhile. */
    @Test
    void exactlyOneOfManyPutsOfAKeyIsToldThatItIsNew() throws Exception {
        int threads = 3;
        int keys = 60_000;
        AtomicIntegerArray told = new AtomicIntegerArray(keys);
        try (KeyedFilter<Long> filter =
                KeyedFilter.inMemory(Funnel.NUMBER, new FilterSizing(100_000, Duration.ofSeconds(10), 1e-9))) {
            Threads.run(threads, thread -> {
                for (int key = 0; key < keys; key++) {
                    if (filter.put((long) key)) {
                        told.incrementAndGet(key);
                    }
                }
            });
        }

        for (int key = 0; key < keys; key++) {
            assertThat(told.get(key)).as("key %d", key).isEqualTo(1);
        }
    }

    @Test
    void forgetsAKeyAfterItsWindow() throws InterruptedException {
        try (KeyedFilter<Long> filter =
                KeyedFilter.inMemory(Funnel.NUMBER, new FilterSizing(10, Duration.ofMillis(100), 1e-9))) {
            filter.put(1L);
            while (filter.mightContain(1L)) {
                Thread.sleep(5);
            }

            assertThat(filter.put(1L)).isTrue();
            assertThat(filter.failure()).isNull();
        }
    }

    @Test
    void keysOfAFileAreThereWhenItIsOpenedAgain() {
        try (KeyedFilter<CharSequence> filter = open()) {
            filter.put("a");
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(this::open)
                    .withMessageContaining("is in use by this process");
        }

        try (KeyedFilter<CharSequence> filter = open()) {
            assertThat(filter.put("a")).isFalse();
            assertThat(filter.incompleteFor()).isZero();
        }
        FilterSizing more = new FilterSizing(50_000, Duration.ofMinutes(10), 1e-9);
        try (KeyedFilter<CharSequence> filter = KeyedFilter.open(directory, Funnel.TEXT, more)) {
            assertThat(filter.stats().arenas()).hasSize(2);
            assertThat(filter.put("a")).isFalse();
            assertThat(filter.put("b")).isTrue();
        }
    }

    @Test
    void takesNothingOnceItIsClosed() {
        KeyedFilter<CharSequence> filter = open();
        filter.close();
        filter.close();

        assertThatIllegalStateException().isThrownBy(() -> filter.put("1"));
        assertThatIllegalStateException().isThrownBy(() -> filter.mightContain("1"));
    }
}
