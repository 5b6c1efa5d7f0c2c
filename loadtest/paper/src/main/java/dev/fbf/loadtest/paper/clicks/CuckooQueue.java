package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;

/**
 * A cuckoo filter as its paper has it, with a queue of what is to be deleted when: a cuckoo filter does not know the age of an
 * entry. The queue has the bucket and the fingerprint of each click, eight bytes. When it is full, the oldest click is deleted
 * early.
 */
final class CuckooQueue extends OneByOne {

    private static final int FEWEST_FINGERPRINT_BITS = 4;
    private static final int MOST_FINGERPRINT_BITS = 28;

    private final CuckooTable table;

    /** A ring: the oldest click is {@code count} before {@code next}. */
    private final long[] queue;

    private int next;
    private int count;

    /** How many clicks of each slice of the window are in the queue. */
    private final int[] ofSlice = new int[Demand.SLICES + 1];

    private int slice;
    private int oldestSlice;

    record Shape(int clicks, long entries, int fingerprintBits) {}

    CuckooQueue(Shape shape) {
        table = new CuckooTable(shape.entries, shape.fingerprintBits, 0);
        queue = new long[shape.clicks];
    }

    /** The shape for all clicks of a window with the longest fingerprints that takes so much memory; else for as many as fit. */
    static Shape best(Demand demand, long bytes) {
        long clicks = demand.clicks() + demand.clicks() / Demand.SLICES;
        long left = bytes - (Demand.SLICES + 1L) * Integer.BYTES - 2 * Long.BYTES;
        for (int bits = MOST_FINGERPRINT_BITS; bits > FEWEST_FINGERPRINT_BITS; bits--) {
            if (clicks * bytesOfClick(bits) <= left) {
                return shape(clicks, bits);
            }
        }
        return shape((long) (left / bytesOfClick(2 * FEWEST_FINGERPRINT_BITS)), 2 * FEWEST_FINGERPRINT_BITS);
    }

    private static Shape shape(long clicks, int bits) {
        return new Shape(Math.toIntExact(clicks), (long) (clicks / CuckooTable.HIGHEST_LOAD), bits);
    }

    private static double bytesOfClick(int bits) {
        return Long.BYTES + bits / CuckooTable.HIGHEST_LOAD / Byte.SIZE;
    }

    @Override
    public void advance(int slice) {
        this.slice = slice;
        while (slice - oldestSlice >= Demand.SLICES) {
            for (int left = ofSlice[oldestSlice % ofSlice.length]; left > 0; left--) {
                deleteOldest();
            }
            oldestSlice++;
        }
    }

    private void deleteOldest() {
        int oldest = next - count;
        long entry = queue[oldest < 0 ? oldest + queue.length : oldest];
        table.delete((int) (entry >>> Integer.SIZE), (int) entry);
        count--;
        while (ofSlice[oldestSlice % ofSlice.length] == 0) {
            oldestSlice++;
        }
        ofSlice[oldestSlice % ofSlice.length]--;
    }

    @Override
    long load(OperationId click) {
        return table.load(click);
    }

    @Override
    boolean isDuplicate(OperationId click) {
        int fingerprint = table.fingerprint(click);
        int bucket = table.bucket(click);
        if (table.contains(bucket, fingerprint)) {
            return true;
        }
        if (count == queue.length) {
            deleteOldest();
        }
        table.put(bucket, fingerprint, 0);
        queue[next] = (long) bucket << Integer.SIZE | fingerprint;
        next = next + 1 == queue.length ? 0 : next + 1;
        count++;
        ofSlice[slice % ofSlice.length]++;
        return false;
    }

    @Override
    public long bytes() {
        return table.bytes() + (long) queue.length * Long.BYTES + (long) ofSlice.length * Integer.BYTES;
    }
}
