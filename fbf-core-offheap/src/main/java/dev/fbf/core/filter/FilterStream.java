package dev.fbf.core.filter;

import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
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
 * The portable form of a filter, format 1: little-endian words of 64 bits, in blocks of 8,192. Each block ends with a check word, the
 * CRC32C of all words before it except the check words; the last block is padded with zeros before its check word. The
 * words are:
 *
 * <pre>
 *  words       4                     | 20                   1      66  | 8 a line
 *        +---------------------------+--------------------------------+--------------+---
 *        | magic, format, most bytes | words 1 to 20 of   state  ages | lines 0 …    | …
 *        | of the filter, arenas     | the arena's file               |              |
 *        +---------------------------+--------------------------------+--------------+---
 *                                      for each arena, the newest first
 * </pre>
 *
 * <p>Ages are in milliseconds, −1 for none: since the arena was superseded, since it was incomplete, and for each bit of
 * a lane, since its generation was sealed. Lines only have the bits of live generations.
 *
 * <p>The state is read first. Puts that ended before are in the lines, and stay there while the lines are read, because only outlived
 * generations are cleared meanwhile. Bits of later generations in their place are false positives.
 *
 * <p>Four blocks are written together, in whole pages, which halves the time to write a file.
 */
final class FilterStream {

    private static final long MAGIC = 0x46_42_46_2D_53_41_56_45L; // "FBF-SAVE"
    private static final long FORMAT = 1;

    /**
     * Upper limit for the number of arenas in a stream. A filter is expected to have far fewer: {@code maxBytes} limits their total size,
     * and arenas whose window has passed are dropped.
     */
    private static final long MOST_ARENAS = 1024;

    private static final int PLAN_WORDS = (int) (FilterLayout.CHECKSUM_WORD - FilterLayout.VERSION_WORD);
    private static final int BLOCK_BYTES = 8192 * Long.BYTES;
    private static final int CHECK = BLOCK_BYTES - Long.BYTES;
    private static final int BLOCKS_AT_ONCE = 4;
    private static final long[] TIMES = LongStream.concat(
                    LongStream.of(FilterLayout.SUPERSEDED_AT_WORD, FilterLayout.INCOMPLETE_SINCE_WORD),
                    LongStream.range(FilterLayout.SEALED_AT_WORD, FilterLayout.SEALED_AT_WORD + Long.SIZE))
            .toArray();

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer blocks;

    private FilterStream(int blocksAtOnce) {
        blocks = ByteBuffer.allocate(blocksAtOnce * BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Writes arenas, the newest first. */
    static void write(FilterPlan asked, List<Words> arenas, FilterClock clock, OutputStream out) throws IOException {
        FilterStream stream = new FilterStream(BLOCKS_AT_ONCE);
        stream.blocks
                .putLong(MAGIC)
                .putLong(FORMAT)
                .putLong(asked.stated().maxBytes())
                .putLong(arenas.size());
        for (Words words : arenas) {
            stream.write(words, clock.millis(), out);
        }
        while (stream.left() < CHECK) {
            stream.write(0, out);
        }
        out.write(stream.blocks.array(), 0, stream.blocks.position());
    }

    private void write(Words words, long now, OutputStream out) throws IOException {
        ArenaHeader header = new ArenaHeader(words);
        long state = header.get(FilterLayout.STATE_WORD);
        for (int word = 0; word < PLAN_WORDS; word++) {
            write(words.getVolatile(FilterLayout.VERSION_WORD + word), out);
        }
        write(state, out);
        for (long word : TIMES) {
            long time = header.get(word);
            write(time == FilterLayout.NONE ? -1 : Math.max(0, now - time), out);
        }
        FilterPlan plan = header.plan();
        long live = LongStream.rangeClosed(ArenaState.oldest(state), ArenaState.epoch(state))
                .map(generation -> 1L << (generation & (plan.laneBits() - 1)))
                .sum();
        long mask = Long.divideUnsigned(-1L, -1L >>> (Long.SIZE - plan.laneBits())) * live;
        long end = FilterLayout.words(plan.lines());
        long index = FilterLayout.HEADER_WORDS;
        while (index < end) {
            int count = (int) Math.min(left() / Long.BYTES, end - index);
            int at = blocks.position();
            for (int i = 0; i < count; i++) { // absolute index: relative puts take twice as long
                blocks.putLong(at + i * Long.BYTES, words.getPlainAt(words.position(index + i)) & mask);
            }
            blocks.position(at + count * Long.BYTES);
            index += count;
            endBlockIfFull(out);
        }
    }

    private void write(long word, OutputStream out) throws IOException {
        blocks.putLong(word);
        endBlockIfFull(out);
    }

    private void endBlockIfFull(OutputStream out) throws IOException {
        if (left() == 0) {
            crc.update(blocks.array(), blocks.position() - CHECK, CHECK);
            blocks.putLong(crc.getValue());
            if (!blocks.hasRemaining()) {
                out.write(blocks.array());
                blocks.clear();
            }
        }
    }

    /** Returns the number of bytes left before the check word of the current block. */
    private int left() {
        return CHECK - blocks.position() % BLOCK_BYTES;
    }

    /** Reads a filter into memory. The ages continue from now. */
    static AdaptiveFilter read(String scope, InputStream in, FilterClock clock) throws IOException {
        FilterStream stream = new FilterStream(1);
        stream.fill(in);
        if (stream.blocks.getLong() != MAGIC) {
            throw corrupted("it was not written by fbf");
        }
        if (stream.blocks.getLong() != FORMAT) {
            throw corrupted("this version of fbf supports format " + FORMAT + " only");
        }
        stream.verify();
        long maxBytes = stream.blocks.getLong();
        long count = stream.blocks.getLong();
        if (count < 1 || count > MOST_ARENAS) {
            throw corrupted("it has " + count + " arenas, and a filter has 1 to " + MOST_ARENAS);
        }
        try {
            List<Arena> arenas = new ArrayList<>();
            for (long left = count; left > 0; left--) {
                arenas.add(stream.readArena(in, clock));
            }
            Arena newest = arenas.get(0);
            FilterSizing stated = newest.plan().stated().within(maxBytes);
            return new AdaptiveFilter(
                    scope,
                    newest.plan().partOf(stated, newest.plan().mayGrow()),
                    new FilterMemory.Arenas(newest.secret()),
                    clock,
                    arenas);
        } catch (RuntimeException e) {
            throw corrupted("it does not describe a filter: " + e);
        }
    }

    private Arena readArena(InputStream in, FilterClock clock) throws IOException {
        Words fixed = MappedWords.allocate(FilterLayout.HEADER_WORDS);
        for (int word = 0; word < PLAN_WORDS; word++) {
            fixed.setRelease(FilterLayout.VERSION_WORD + word, read(in));
        }
        ArenaHeader described = new ArenaHeader(fixed);
        FilterPlan plan = described.plan();
        Words words = MappedWords.allocate(plan.bytes() / Long.BYTES);
        ArenaHeader header = new ArenaHeader(words);
        header.initialize(plan, described.secret());
        long state = read(in);
        header.set(FilterLayout.STATE_WORD, ArenaState.of(ArenaState.epoch(state), ArenaState.live(state), true));
        long now = clock.millisRoundedUp();
        for (long word : TIMES) {
            long age = read(in);
            header.set(word, age < 0 ? FilterLayout.NONE : now - age);
        }
        for (long index = FilterLayout.HEADER_WORDS; index < words.size(); index++) {
            words.setRelease(index, read(in));
        }
        return new Arena(plan, words, clock);
    }

    private long read(InputStream in) throws IOException {
        if (left() == 0) {
            fill(in);
            verify();
        }
        return blocks.getLong();
    }

    private void fill(InputStream in) throws IOException {
        if (in.readNBytes(blocks.array(), 0, BLOCK_BYTES) < BLOCK_BYTES) {
            throw new EOFException("the stream of a filter is truncated");
        }
        blocks.clear();
    }

    private void verify() throws StreamCorruptedException {
        crc.update(blocks.array(), 0, CHECK);
        if (blocks.getLong(CHECK) != crc.getValue()) {
            throw corrupted("its checksum is wrong");
        }
    }

    private static StreamCorruptedException corrupted(String why) {
        return new StreamCorruptedException("the stream of a filter is refused: " + why);
    }
}
