package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ForgetfulBloomFilter;

/** Remembers the last operations; all that come are new. */
interface OperationWindow {

    /** Remembers an operation if it seems new, and forgets the oldest in turn; returns whether it seemed new. */
    boolean admit(long operation);

    boolean contains(long operation);

    /** The real filter, which its directory refreshes in the background. */
    record Forgetful(ForgetfulBloomFilter filter) implements OperationWindow {

        @Override
        public boolean admit(long operation) {
            OperationId id = id(operation);
            if (filter.mightContain(id)) {
                return false;
            }
            filter.put(id);
            return true;
        }

        @Override
        public boolean contains(long operation) {
            return filter.mightContain(id(operation));
        }

        private static OperationId id(long operation) {
            return new OperationId(Hash.of(5, operation), Hash.of(6, operation));
        }
    }

    /** What is to be deleted, oldest first. */
    final class Queue {

        private final long[] pending;
        private int next;

        Queue(int operations) {
            pending = new long[operations];
        }

        /** Puts one in the place of the oldest, which is returned; 0 while the window is not full. */
        long replaceOldest(long item) {
            long oldest = pending[next];
            pending[next] = item;
            next = next + 1 == pending.length ? 0 : next + 1;
            return oldest;
        }
    }

    /** A cuckoo filter with a queue of fingerprints and buckets. */
    final class Cuckoo implements OperationWindow {

        private final CuckooFilter filter;
        private final Queue queue;
        private final int fingerprintBits;

        Cuckoo(int operations, double fpp, int max) {
            fingerprintBits = WindowCost.cuckooBits(fpp);
            filter = new CuckooFilter(
                    WindowCost.cuckooBuckets(operations), WindowCost.CUCKOO_SLOTS, fingerprintBits, max, 1);
            queue = new Queue(operations);
        }

        @Override
        public boolean admit(long operation) {
            boolean isNew = !filter.contains(operation);
            long item = 0;
            if (isNew) {
                refuseIfFull(filter.insert(operation));
                item = ((long) filter.firstBucket(operation) << fingerprintBits) | filter.fingerprint(operation);
            }
            long oldest = queue.replaceOldest(item);
            if (oldest != 0) {
                filter.delete(oldest & ((1L << fingerprintBits) - 1), (int) (oldest >>> fingerprintBits));
            }
            return isNew;
        }

        @Override
        public boolean contains(long operation) {
            return filter.contains(operation);
        }
    }

    /** A cuckoo filter with the period in each entry, and all entries read once a period. */
    final class Tagged implements OperationWindow {

        private static final int TAGS = 1 << WindowCost.TAG_BITS;

        private final CuckooFilter filter;
        private final int period;
        private long admitted;

        Tagged(int operations, double fpp, int max) {
            filter = new CuckooFilter(
                    WindowCost.cuckooBuckets(operations * WindowCost.longer()),
                    WindowCost.CUCKOO_SLOTS,
                    WindowCost.cuckooBits(fpp),
                    WindowCost.TAG_BITS,
                    max,
                    1);
            period = operations / WindowCost.PERIODS_OF_WINDOW;
        }

        @Override
        public boolean admit(long operation) {
            long now = admitted++ / period;
            if (admitted % period == 1) {
                long oldest = Math.floorMod(now - WindowCost.PERIODS_OF_WINDOW - 1, TAGS);
                filter.deleteAll(tag -> tag == oldest);
            }
            if (filter.contains(operation)) {
                return false;
            }
            refuseIfFull(filter.insert(operation, now % TAGS));
            return true;
        }

        @Override
        public boolean contains(long operation) {
            return filter.contains(operation);
        }
    }

    /** A CCF with a queue of fingerprints. Its number of buckets is right from the beginning: the window does not change. */
    final class Consistent implements OperationWindow {

        private final ConsistentCuckooFilter filter;
        private final Queue queue;

        Consistent(Shape shape, int operations, double load) {
            int buckets = (int) Math.ceil(operations / load / shape.slots());
            filter = new ConsistentCuckooFilter(shape, Resizing.BUCKETS, buckets, 1, 0, 1);
            queue = new Queue(operations);
        }

        @Override
        public boolean admit(long operation) {
            boolean isNew = !filter.contains(operation);
            if (isNew) {
                refuseIfFull(filter.insert(operation));
            }
            long oldest = queue.replaceOldest(isNew ? filter.fingerprint(operation) : 0);
            if (oldest != 0) {
                filter.deleteFingerprint(oldest);
            }
            return isNew;
        }

        @Override
        public boolean contains(long operation) {
            return filter.contains(operation);
        }
    }

    private static void refuseIfFull(boolean hadRoom) {
        if (!hadRoom) {
            throw new IllegalStateException("the filter is full before its window is");
        }
    }
}
