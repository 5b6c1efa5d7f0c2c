package dev.fbf.loadtest.paper;

import java.util.Arrays;

/** Numbers of so many bits each, packed without gaps; zero at first. */
public final class PackedNumbers {

    private final int width;
    private final long mask;
    private long[] words;

    /**
     * Makes them.
     *
     * @param count how many
     * @param width the bits of each, 1 to 63
     */
    public PackedNumbers(long count, int width) {
        this.width = width;
        mask = (1L << width) - 1;
        words = new long[wordsOf(count)];
    }

    private PackedNumbers(int width, long[] words) {
        this.width = width;
        mask = (1L << width) - 1;
        this.words = words;
    }

    public PackedNumbers copy() {
        return new PackedNumbers(width, words.clone());
    }

    private int wordsOf(long count) {
        return Math.toIntExact(
                (count * width + Long.SIZE - 1) / Long.SIZE + 1); // a number may reach into one word more
    }

    /** Makes room for more. */
    public void grow(long count) {
        int needed = wordsOf(count);
        if (needed > words.length) {
            words = Arrays.copyOf(words, needed + (needed >>> 1));
        }
    }

    /** Returns the number at an index. */
    public long get(long index) {
        long bit = index * width;
        int word = (int) (bit >>> 6);
        int shift = (int) (bit & 63);
        long number = words[word] >>> shift;
        if (shift + width > Long.SIZE) {
            number |= words[word + 1] << (Long.SIZE - shift);
        }
        return number & mask;
    }

    /** Replaces the number at an index; takes no more bits of it than there is room for. */
    public void set(long index, long number) {
        long bit = index * width;
        int word = (int) (bit >>> 6);
        int shift = (int) (bit & 63);
        long bits = number & mask;
        words[word] = (words[word] & ~(mask << shift)) | (bits << shift);
        if (shift + width > Long.SIZE) {
            int rest = Long.SIZE - shift;
            words[word + 1] = (words[word + 1] & ~(mask >>> rest)) | (bits >>> rest);
        }
    }

    /** The memory that they take. */
    public long bytes() {
        return (long) words.length * Long.BYTES;
    }
}
