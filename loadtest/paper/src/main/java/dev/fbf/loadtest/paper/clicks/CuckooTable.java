package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import dev.fbf.loadtest.paper.Hash;
import java.util.SplittableRandom;

/**
 * The table of a cuckoo filter: buckets of four entries, each with a fingerprint of a click and, if wanted, some bits more. A
 * click is in one of two buckets; either follows from the other and the fingerprint.
 *
 * <p>Source: Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo filter: practically better than Bloom", CoNEXT 2014. The second
 * bucket is a difference instead of an exclusive or, so that the number of buckets need not be a power of two.
 */
final class CuckooTable {

    static final int BUCKET = 4;

    /** The share of entries in use up to which nearly every click finds a place. */
    static final double HIGHEST_LOAD = 0.95;

    static final int EMPTY = 0;

    private static final int MOST_KICKS = 500;

    private final int fingerprintBits;
    private final int fingerprintMask;
    private final int buckets;
    private final PackedNumbers packed;
    private final SplittableRandom random = new SplittableRandom(1);

    /**
     * Creates an empty table.
     *
     * @param entries its size; rounded down to whole buckets
     * @param fingerprintBits 1 to 32, less the further bits
     * @param furtherBits of an entry, above its fingerprint
     */
    CuckooTable(long entries, int fingerprintBits, int furtherBits) {
        this.fingerprintBits = fingerprintBits;
        fingerprintMask = (int) ((1L << fingerprintBits) - 1);
        buckets = Math.toIntExact(Math.max(1, entries / BUCKET));
        packed = new PackedNumbers((long) buckets * BUCKET, fingerprintBits + furtherBits);
    }

    /** From the id's low half: {@link #EMPTY} is none. */
    int fingerprint(OperationId click) {
        int fingerprint = (int) (click.low() >>> (Long.SIZE - fingerprintBits));
        return fingerprint == EMPTY ? 1 : fingerprint;
    }

    int bucket(OperationId click) {
        return (int) Hash.below(click.high(), buckets);
    }

    int other(int bucket, int fingerprint) {
        int difference = (int) Hash.below(Hash.mix(fingerprint), buckets) - bucket;
        return difference < 0 ? difference + buckets : difference;
    }

    /** Reads both buckets of a click: see {@link OneByOne#load}. */
    long load(OperationId click) {
        int bucket = bucket(click);
        return get(bucket * BUCKET) ^ get(other(bucket, fingerprint(click)) * BUCKET);
    }

    boolean contains(int bucket, int fingerprint) {
        return find(bucket, fingerprint) >= 0 || find(other(bucket, fingerprint), fingerprint) >= 0;
    }

    /** Puts an entry; returns whether it did not cost another one, for which there was no place left. */
    boolean put(int bucket, int fingerprint, int further) {
        int entry = further << fingerprintBits | fingerprint;
        int other = other(bucket, fingerprint);
        if (putIn(bucket, entry) || putIn(other, entry)) {
            return true;
        }
        int at = random.nextBoolean() ? bucket : other;
        for (int kick = 0; kick < MOST_KICKS; kick++) {
            int slot = at * BUCKET + random.nextInt(BUCKET);
            int kicked = get(slot);
            packed.set(slot, entry);
            entry = kicked;
            at = other(at, entry & fingerprintMask);
            if (putIn(at, entry)) {
                return true;
            }
        }
        return false;
    }

    /** Deletes all entries with these further bits. */
    void deleteAll(int further) {
        for (int slot = 0; slot < buckets * BUCKET; slot++) {
            int entry = get(slot);
            if (entry != EMPTY && entry >>> fingerprintBits == further) {
                packed.set(slot, EMPTY);
            }
        }
    }

    /** The slot of a bucket that has a fingerprint; −1 if none has. */
    private int find(int bucket, int fingerprint) {
        for (int slot = bucket * BUCKET; slot < (bucket + 1) * BUCKET; slot++) {
            if ((get(slot) & fingerprintMask) == fingerprint) {
                return slot;
            }
        }
        return -1;
    }

    private boolean putIn(int bucket, int entry) {
        int slot = find(bucket, EMPTY);
        if (slot >= 0) {
            packed.set(slot, entry);
        }
        return slot >= 0;
    }

    private int get(int slot) {
        return (int) packed.get(slot);
    }

    long bytes() {
        return packed.bytes();
    }
}
