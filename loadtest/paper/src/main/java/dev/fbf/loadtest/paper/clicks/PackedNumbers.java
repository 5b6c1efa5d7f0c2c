package dev.fbf.loadtest.paper.clicks;

/** Numbers of so many bits each, packed without gaps; zero at first. */
final class PackedNumbers {

    private final int width;
    private final long mask;
    private final long[] words;

    /** @param width the bits of each, 1 to 63 */
    PackedNumbers(long count, int width) {
        this.width = width;
        mask = (1L << width) - 1;
        // a number may reach into one word more
        words = new long[Math.toIntExact((count * width + Long.SIZE - 1) / Long.SIZE + 1)];
    }

    long get(long index) {
        long bit = index * width;
        int word = (int) (bit >>> 6);
        int shift = (int) (bit & 63);
        long number = words[word] >>> shift;
        if (shift + width > Long.SIZE) {
            number |= words[word + 1] << (Long.SIZE - shift);
        }
        return number & mask;
    }

    void set(long index, long number) {
        long bit = index * width;
        int word = (int) (bit >>> 6);
        int shift = (int) (bit & 63);
        words[word] = (words[word] & ~(mask << shift)) | (number << shift);
        if (shift + width > Long.SIZE) {
            int rest = Long.SIZE - shift;
            words[word + 1] = (words[word + 1] & ~(mask >>> rest)) | (number >>> rest);
        }
    }

    /** The memory that they take. */
    long bytes() {
        return (long) words.length * Long.BYTES;
    }
}
