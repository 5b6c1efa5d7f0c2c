package dev.fbf.core.filter;

import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/**
 * The portable form of a filter, format 1: words of 64 bits, the lowest byte first, in blocks. Each block ends with a
 * check word, the CRC32C of all words before it but the check words.
 *
 * <pre>
 *  words       4                     | 20                   1      66  | at most 8192 |
 *        +---------------------------+--------------------------------+--------------+---
 *        | magic, format, most bytes | words 1 to 20 of   state  ages | lines 0 …    | …
 *        | of the filter, arenas     | the arena's file               |              |
 *        +---------------------------+--------------------------------+--------------+---
 *                                      for each arena, the newest first
 * </pre>
 *
 * <p>Ages are in milliseconds, −1 for none: since the arena was superseded, since it was incomplete, and for each bit of
 * a lane, since its generation was sealed. Lines have the bits of live generations alone.
 *
 * <p>The state is read first. Puts that end before are in the lines, and stay there while the lines are read: a
 * generation that is cleared meanwhile is outlived. Bits of later generations in its place are false positives.
 */
final class FilterStream {

    private static final long MAGIC = 0x46_42_46_2D_53_41_56_45L; // "FBF-SAVE"
    private static final long FORMAT = 1;
    private static final int PREAMBLE_WORDS = 4;
    private static final int PLAN_WORDS = (int) (FilterLayout.CHECKSUM_WORD - FilterLayout.VERSION_WORD);
    private static final int BLOCK_WORDS = 8192;
    private static final long[] TIMES = LongStream.concat(
                    LongStream.of(FilterLayout.SUPERSEDED_AT_WORD, FilterLayout.INCOMPLETE_SINCE_WORD),
                    LongStream.range(FilterLayout.SEALED_AT_WORD, FilterLayout.SEALED_AT_WORD + Long.SIZE))
            .toArray();

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer block =
            ByteBuffer.allocate((BLOCK_WORDS + 1) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /** Writes arenas, the newest first. */
    static void write(FilterPlan asked, List<Words> arenas, FilterClock clock, OutputStream out) throws IOException {
        FilterStream stream = new FilterStream();
        stream.block
                .putLong(MAGIC)
                .putLong(FORMAT)
                .putLong(asked.stated().maxBytes())
                .putLong(arenas.size());
        stream.write(out);
        for (Words words : arenas) {
            stream.write(words, clock.millis(), out);
        }
    }

    private void write(Words words, long now, OutputStream out) throws IOException {
        ArenaHeader header = new ArenaHeader(words);
        long state = header.get(FilterLayout.STATE_WORD);
        for (int word = 0; word < PLAN_WORDS; word++) {
            block.putLong(words.getVolatile(FilterLayout.VERSION_WORD + word));
        }
        block.putLong(state);
        for (long word : TIMES) {
            long time = header.get(word);
            block.putLong(time == FilterLayout.NONE ? -1 : Math.max(0, now - time));
        }
        write(out);
        FilterPlan plan = header.plan();
        long live = LongStream.rangeClosed(ArenaState.oldest(state), ArenaState.epoch(state))
                .map(generation -> 1L << (generation & (plan.laneBits() - 1)))
                .sum();
        long mask = Long.divideUnsigned(-1L, -1L >>> (Long.SIZE - plan.laneBits())) * live;
        long end = FilterLayout.words(plan.lines());
        for (long first = FilterLayout.HEADER_WORDS; first < end; first += BLOCK_WORDS) {
            int count = (int) Math.min(BLOCK_WORDS, end - first);
            for (int i = 0; i < count; i += FilterLayout.LINE_WORDS) {
                long line = words.position(first + i);
                for (long word = 0; word < FilterLayout.LINE_WORDS; word++) {
                    block.putLong(words.getPlainAt(line + word * Long.BYTES) & mask);
                }
            }
            write(out);
        }
    }

    private void write(OutputStream out) throws IOException {
        crc.update(block.array(), 0, block.position());
        block.putLong(crc.getValue());
        out.write(block.array(), 0, block.position());
        block.clear();
    }

    /** Reads a filter into memory. Its ages count from now on. */
    static AdaptiveFilter read(String scope, InputStream in, FilterClock clock) throws IOException {
        FilterStream stream = new FilterStream();
        try {
            stream.read(PREAMBLE_WORDS, in);
            long maxBytes = stream.block.getLong();
            List<Arena> arenas = new ArrayList<>();
            for (long left = stream.block.getLong(); left > 0; left--) {
                arenas.add(stream.readArena(in, clock));
            }
            Arena newest = arenas.get(0);
            FilterSizing stated = newest.plan().stated().within(maxBytes);
            return new AdaptiveFilter(
                    scope,
                    newest.plan().partOf(stated, newest.plan().mayGrow()),
                    new InMemoryFilter.Memory(newest.secret()),
                    clock,
                    arenas);
        } catch (RuntimeException e) {
            throw corrupted("it does not describe a filter: " + e);
        }
    }

    private Arena readArena(InputStream in, FilterClock clock) throws IOException {
        read(PLAN_WORDS + 1 + TIMES.length, in);
        Words fixed = MappedWords.allocate(FilterLayout.HEADER_WORDS);
        for (int word = 0; word < PLAN_WORDS; word++) {
            fixed.setRelease(FilterLayout.VERSION_WORD + word, block.getLong());
        }
        ArenaHeader described = new ArenaHeader(fixed);
        FilterPlan plan = described.plan();
        Words words = MappedWords.allocate(plan.bytes() / Long.BYTES);
        ArenaHeader header = new ArenaHeader(words);
        header.initialize(plan, described.secret());
        long state = block.getLong();
        header.set(FilterLayout.STATE_WORD, ArenaState.of(ArenaState.epoch(state), ArenaState.live(state), true));
        long now = clock.millisRoundedUp();
        for (long word : TIMES) {
            long age = block.getLong();
            header.set(word, age < 0 ? FilterLayout.NONE : now - age);
        }
        for (long first = FilterLayout.HEADER_WORDS; first < words.size(); first += BLOCK_WORDS) {
            int count = (int) Math.min(BLOCK_WORDS, words.size() - first);
            read(count, in);
            for (int word = 0; word < count; word++) {
                words.setRelease(first + word, block.getLong());
            }
        }
        return new Arena(plan, words, clock);
    }

    private void read(int words, InputStream in) throws IOException {
        int bytes = words * Long.BYTES;
        block.clear();
        if (in.readNBytes(block.array(), 0, bytes + Long.BYTES) < bytes + Long.BYTES) {
            throw new EOFException("the stream of a filter is truncated");
        }
        if (words == PREAMBLE_WORDS && block.getLong() != MAGIC) {
            throw corrupted("it was not written by fbf");
        }
        if (words == PREAMBLE_WORDS && block.getLong() != FORMAT) {
            throw corrupted("this version of fbf knows format " + FORMAT + " alone");
        }
        crc.update(block.array(), 0, bytes);
        if (block.getLong(bytes) != crc.getValue()) {
            throw corrupted("its checksum is wrong");
        }
    }

    private static StreamCorruptedException corrupted(String why) {
        return new StreamCorruptedException("the stream of a filter is refused: " + why);
    }
}
