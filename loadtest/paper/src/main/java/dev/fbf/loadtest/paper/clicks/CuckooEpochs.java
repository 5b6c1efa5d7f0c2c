package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;

/**
 * A cuckoo filter whose entries bear the number of their period, of 2^e numbers that come round. When a number comes again, all
 * entries with it are deleted first: 2^e − 1 periods are a window. To delete costs e bits an entry and one pass over the table
 * a period.
 */
final class CuckooEpochs extends OneByOne {

    private static final int MOST_EPOCH_BITS = 6;
    private static final int FEWEST_FINGERPRINT_BITS = 2;
    private static final int MOST_FINGERPRINT_BITS = 24;

    private final CuckooTable table;
    private final int epochs;
    private final int period;
    private int epoch;

    /** @param epochBits e */
    record Shape(long entries, int fingerprintBits, int epochBits) {}

    CuckooEpochs(Shape shape) {
        table = new CuckooTable(shape.entries, shape.fingerprintBits, shape.epochBits);
        epochs = 1 << shape.epochBits;
        period = Demand.period(epochs - 1);
    }

    /** The shape with the longest fingerprints, and of those the most room, that takes so much memory. */
    static Shape best(Demand demand, long bytes) {
        Shape best = new Shape(CuckooTable.BUCKET, FEWEST_FINGERPRINT_BITS, 1);
        double fewest = Double.MAX_VALUE;
        for (int epochBits = 1; epochBits <= MOST_EPOCH_BITS; epochBits++) {
            int epochs = 1 << epochBits;
            double clicks = demand.clicksIn((double) epochs * Demand.period(epochs - 1));
            for (int bits = FEWEST_FINGERPRINT_BITS; bits <= MOST_FINGERPRINT_BITS; bits++) {
                long entries = (bytes - 2 * Long.BYTES) * Byte.SIZE / (bits + epochBits);
                double load = clicks / entries;
                double fpp = 2 * CuckooTable.BUCKET * load / (1L << bits);
                // without room for all it loses as many clicks as are too many
                double errors = fpp + Math.max(0, load / CuckooTable.HIGHEST_LOAD - 1);
                if (errors < fewest) {
                    fewest = errors;
                    best = new Shape(entries, bits, epochBits);
                }
            }
        }
        return best;
    }

    @Override
    public void advance(int slice) {
        if (slice > 0 && slice % period == 0) {
            epoch = (epoch + 1) & (epochs - 1);
            table.deleteAll(epoch);
        }
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
        table.put(bucket, fingerprint, epoch);
        return false;
    }

    @Override
    public long bytes() {
        return table.bytes();
    }
}
