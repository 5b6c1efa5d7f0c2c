package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.keyed.Funnel;
import dev.fbf.core.keyed.KeyedFilter;
import dev.fbf.core.plan.FilterSizing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@Tag("slow")
class FilterStreamTest {

    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final FilterSizing SIZING = new FilterSizing(10, WINDOW, 1e-9, 1 << 20);
    private static final int BLOCK_BYTES = 8192 * Long.BYTES;
    private static final int ARENAS_AT = 3 * Long.BYTES;

    private final HandClock clock = new HandClock();

    private static KeyedFilter<Long> filter() {
        return KeyedFilter.inMemory(Funnel.NUMBER, SIZING);
    }

    private static byte[] written(KeyedFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static KeyedFilter<Long> read(byte... stream) throws IOException {
        return KeyedFilter.readFrom(Funnel.NUMBER, new ByteArrayInputStream(stream));
    }

    @Test
    void whatIsReadIsWhatWasWritten() throws IOException {
        try (KeyedFilter<Long> filter = filter()) {
            List<Long> keys = LongStream.range(0, 1_000).boxed().toList();
            filter.putAll(keys);
            byte[] stream = written(filter);
            ByteArrayInputStream more = new ByteArrayInputStream(Arrays.copyOf(stream, stream.length + 1));

            try (KeyedFilter<Long> read = KeyedFilter.readFrom(Funnel.NUMBER, more)) {
                assertThat(more.available()).as("bytes behind it").isEqualTo(1);
                assertThat(read.mightContainAll(keys)).containsOnly(true);
                assertThat(read.put(1_000L)).isTrue();
                assertThat(read.stats().arenas().get(0).plan().stated())
                        .isEqualTo(
                                filter.stats().arenas().get(0).plan().stated().within(FilterSizing.UNLIMITED));
                filter.merge(read);
                assertThat(filter.put(1_000L)).isFalse();
            }
        }
    }

    @Test
    void theFirstBytesAreTheFormats() throws IOException {
        try (KeyedFilter<Long> filter = filter()) {
            assertThat(written(filter))
                    .startsWith("EVAS-FBF\1\0\0\0\0\0\0\0\0\0\20\0\0\0\0\0\1\0\0\0\0\0\0\0"
                            .getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Of the smallest filter there is. */
    @Test
    void everyByteThatIsChangedIsNoticed() throws IOException {
        MergedFilters filters = new MergedFilters(1, new FilterSizing(1, Duration.ofSeconds(1), 1e-2));
        filters.put(0, 10);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filters.get(0).writeTo(out);
        byte[] stream = out.toByteArray();
        FilterClock now = FilterClock.of(clock);

        for (int at = 0; at < stream.length; at++) {
            stream[at] ^= (byte) (1 << at % Byte.SIZE);
            assertThatExceptionOfType(StreamCorruptedException.class)
                    .as("byte %d", at)
                    .isThrownBy(() -> FilterStream.read("test", new ByteArrayInputStream(stream), now));
            stream[at] ^= (byte) (1 << at % Byte.SIZE);
        }
        FilterStream.read("test", new ByteArrayInputStream(stream), now);
    }

    @Test
    void aStreamThatEndsEarlyIsNoticed() throws IOException {
        try (KeyedFilter<Long> filter = filter()) {
            byte[] stream = written(filter);
            for (int length = 0; length < stream.length; length += length < 1_000 ? 1 : 997) {
                byte[] start = Arrays.copyOf(stream, length);
                assertThatExceptionOfType(EOFException.class)
                        .as("%d bytes", length)
                        .isThrownBy(() -> read(start));
            }
        }
    }

    @Test
    void agesCountFromWhenItIsRead() throws IOException {
        MergedFilters filters = new MergedFilters(2, new FilterSizing(100, Duration.ofSeconds(2), 1e-6));
        for (int tick = 0; tick < 150; tick++) { // some right before a generation is sealed
            filters.put(0, 1);
            filters.pass(Duration.ofMillis(10));
        }
        filters.writeAndRead(0, 1);

        for (int tick = 0; tick < 200; tick++) {
            filters.pass(Duration.ofMillis(10));
            filters.checkThatNothingIsForgottenEarly();
        }
        filters.pass(Duration.ofMillis(1_500));
        assertThat(filters.found(1)).isZero();
    }

    @Test
    void arenasAreWrittenWithTheirAges() throws IOException {
        MergedFilters filters = new MergedFilters(2, new FilterSizing(100, Duration.ofSeconds(2), 1e-6));
        filters.put(0, 100);
        filters.get(0).growTo(new FilterSizing(400, Duration.ofSeconds(2), 1e-6).plan());
        filters.put(0, 100);
        filters.pass(Duration.ofSeconds(1));
        filters.writeAndRead(0, 1);

        filters.checkThatNothingIsForgottenEarly();
        assertThat(filters.get(1).stats().arenas())
                .extracting(ArenaStats::superseded)
                .startsWith(false, true);
        filters.pass(Duration.ofMillis(1_500));
        assertThat(filters.get(1).stats().arenas())
                .extracting(ArenaStats::superseded)
                .containsExactly(false);
    }

    @Test
    void keepsThatItIsIncomplete() throws IOException {
        AdaptiveFilter filter = new AdaptiveFilter(
                "test", SIZING.plan(), new FilterMemory.Arenas(null), FilterClock.of(clock), List.of());
        filter.newest().noteIncomplete();
        clock.advance(WINDOW.dividedBy(2));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);

        Duration left = filter.plan().window().minus(WINDOW.dividedBy(2));
        AdaptiveFilter read =
                FilterStream.read("test", new ByteArrayInputStream(out.toByteArray()), FilterClock.of(clock));

        assertThat(read.incompleteFor()).isBetween(left, left.plusMillis(1));
    }

    /** Puts that end before a write begins are in it, whatever is put, refreshed and grown meanwhile. */
    @Test
    void nothingPutBeforeIsMissingFromAStreamThatIsWrittenWhileItIsUsed() throws Exception {
        int rounds = 20;
        FilterSizing sizing = new FilterSizing(100, WINDOW, 1e-6);
        FilterClock now = FilterClock.of(clock);
        AdaptiveFilter filter =
                new AdaptiveFilter("test", sizing.plan(), new FilterMemory.Arenas(null), now, List.of());
        Duration step = WINDOW.dividedBy(10L * (rounds + 1));
        AtomicLong put = new AtomicLong();
        CyclicBarrier round = new CyclicBarrier(2);
        FutureTask<Long> putting = new FutureTask<>(() -> {
            for (int i = 0; i < rounds; i++) {
                round.await();
                for (int part = 0; part < 10; part++) {
                    for (int key = 0; key < 500; key++) {
                        filter.put(new OperationId(put.get(), 0));
                        put.incrementAndGet();
                    }
                    clock.advance(step);
                    filter.maintain();
                }
            }
            return put.get();
        });
        new Thread(putting).start();
        for (int i = 0; i < rounds; i++) {
            round.await();
            long before = put.get();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            filter.writeTo(out);
            AdaptiveFilter read = FilterStream.read("test", new ByteArrayInputStream(out.toByteArray()), now);
            OperationId[] ids = LongStream.range(0, before)
                    .mapToObj(key -> new OperationId(key, 0))
                    .toArray(OperationId[]::new);
            assertThat(read.mightContainAll(ids)).as("round %d", i).doesNotContain(false);
        }
        assertThat(putting.get()).isEqualTo(rounds * 10L * 500);
        filter.awaitGrowth();
        assertThat(filter.stats().arenas()).as("it has grown").hasSizeGreaterThan(1);
    }

    @Test
    void aStreamWithTheRightChecksumsThatDescribesNoFilterIsRefused() {
        ByteBuffer stream = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        stream.putLong(0x46_42_46_2D_53_41_56_45L).putLong(1).putLong(1 << 20).putLong(1);

        assertThatExceptionOfType(StreamCorruptedException.class)
                .isThrownBy(() -> read(withChecksums(stream.array())))
                .withMessageContaining("does not describe a filter");
    }

    /** All arenas that the stream has are in it: without a limit, it would be read up to its end. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, 0, 1_025, Long.MAX_VALUE})
    void aStreamThatClaimsMoreArenasThanAFilterHasIsRefusedBeforeTheyAreRead(long arenas) throws IOException {
        try (KeyedFilter<Long> filter = filter()) {
            byte[] stream = written(filter);
            ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN).putLong(ARENAS_AT, arenas);
            ByteArrayInputStream in = new ByteArrayInputStream(withChecksums(stream));

            assertThatExceptionOfType(StreamCorruptedException.class)
                    .isThrownBy(() -> KeyedFilter.readFrom(Funnel.NUMBER, in))
                    .withMessage(
                            "the stream of a filter is refused: it has %d arenas, and a filter has 1 to 1024", arenas);
            assertThat(in.available()).as("bytes not read").isEqualTo(stream.length - BLOCK_BYTES);
        }
    }

    private static byte[] withChecksums(byte... stream) {
        ByteBuffer words = ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN);
        CRC32C crc = new CRC32C();
        for (int block = 0; block < stream.length; block += BLOCK_BYTES) {
            crc.update(stream, block, BLOCK_BYTES - Long.BYTES);
            words.putLong(block + BLOCK_BYTES - Long.BYTES, crc.getValue());
        }
        return stream;
    }
}
