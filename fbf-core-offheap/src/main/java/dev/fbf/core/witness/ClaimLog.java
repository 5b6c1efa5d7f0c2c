package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.Checksum;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Log of transactions that were about to commit, and of their outcomes, for recovery after a power failure. Thread-safe. */
final class ClaimLog {

    /*
     * begun     | checksum, length | database, slot | previous | next | time | claims: id (2), record and scope, request (2); …
     * ended     | checksum, length | database, slot | next | when it committed, or 0
     * opened    | checksum, length | -1 | boot id | id of the log | uptime in milliseconds
     *
     * All are words of 64 bits; the checksum covers the words after the first. Each segment begins with its own opened entry, because older
     * segments may be gone. It has the uptime at the segment's begin; segments of earlier versions lack the uptime.
     *
     * A transaction is forced to the disk before its COMMIT. Its end is logged before its slot and its records are
     * free, and goes to the disk with the next transaction. So the forced part of the log has the end of each transaction whose slot or
     * records were reused. The witness has the end of the last transaction in each slot. No COMMIT depends on entries after the forced
     * part, and the disk may have any parts of them: a segment ends at the first wrong checksum.
     */
    private static final int BEGIN_WORDS = 5;
    private static final int CLAIM_WORDS = 5;
    private static final int END_WORDS = 4;
    private static final int OPENED_WORDS = 5;

    private static final long OPENED = -1;

    private final LogStore store;

    ClaimLog(LogStore store) {
        this.store = store;
    }

    /**
     * State that the previous process left in the log.
     *
     * @param number the id of the log, constant while the log continues; 0 if there is no log
     * @param boot the boot id under which the log was last written
     * @param open the records of the transactions without an end in the log
     * @param last the token of the last transaction of each slot whose begin or end is logged, by {@link #pair database and slot}
     */
    record Left(long number, long boot, List<Entry> open, Map<Long, Long> last) {

        /** Returns whether the log has this claim's transaction, or a later one in the same slot. */
        boolean knows(Entry claim) {
            Long logged = last.get(pair(claim.database(), claim.slot()));
            return logged != null && !Tokens.isNewer(claim.next(), logged);
        }
    }

    /**
     * The first entry of a log segment.
     *
     * @param boot the boot id; 0 if it is not known
     * @param uptime the machine's uptime in milliseconds
     */
    record Begin(long boot, long uptime) {

        static final int BYTES = OPENED_WORDS * Long.BYTES;

        /** Parses the first bytes of a segment. */
        static Begin of(byte[] bytes) {
            ByteBuffer words = next(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
            return words == null || words.getLong(Long.BYTES) != OPENED || words.capacity() < BYTES
                    ? new Begin(0, 0)
                    : new Begin(words.getLong(2 * Long.BYTES), words.getLong(4 * Long.BYTES));
        }
    }

    /**
     * Logs that a process of this boot continues the log with this id.
     *
     * @param maxOpen the maximum number of open transactions; room for the end of each is reserved, in case the disk is full
     */
    synchronized void opened(long boot, long number, int maxOpen) {
        store.begin(
                uptime -> bytes(words(OPENED_WORDS)
                        .putLong(OPENED)
                        .putLong(boot)
                        .putLong(number)
                        .putLong(uptime)),
                (long) maxOpen * END_WORDS * Long.BYTES);
    }

    /**
     * Logs all claims of a transaction that is about to commit.
     *
     * @throws dev.fbf.core.StorageException as {@link LogStore#makeRoom} does
     */
    synchronized void begun(Collection<Entry> claims) {
        Entry any = claims.iterator().next();
        ByteBuffer words = words(BEGIN_WORDS + claims.size() * CLAIM_WORDS);
        words.putLong(pair(any.database(), any.slot()));
        words.putLong(any.previous()).putLong(any.next());
        words.putLong(claims.stream().mapToLong(Entry::claimedAt).max().orElseThrow());
        for (Entry entry : claims) {
            words.putLong(entry.id().high()).putLong(entry.id().low());
            words.putLong(pair(entry.recordIndex(), entry.scope()));
            OperationId request = entry.request();
            words.putLong(request == null ? 0 : request.high()).putLong(request == null ? 0 : request.low());
        }
        store.makeRoom(words.capacity());
        store.append(bytes(words));
    }

    /**
     * Logs the end of a transaction.
     *
     * @param committedAt the time of its commit in milliseconds of the filter's clock; 0 if it did not commit
     */
    synchronized void ended(int database, int slot, long next, long committedAt) {
        store.append(bytes(
                words(END_WORDS).putLong(pair(database, slot)).putLong(next).putLong(committedAt)));
    }

    /**
     * Reads the log of earlier processes.
     *
     * @param committed receives the claims of committed transactions, in the order in which their ends were logged
     */
    Left read(Consumer<Entry> committed) {
        Map<Long, ByteBuffer> open = new LinkedHashMap<>();
        Map<Long, Long> last = new HashMap<>();
        store.read(segment -> read(segment.order(ByteOrder.nativeOrder()), open, last, committed));
        ByteBuffer opened = open.remove(OPENED);
        List<Entry> left = new ArrayList<>();
        open.values().forEach(words -> claims(words, words.getLong(4 * Long.BYTES), left::add));
        return opened == null
                ? new Left(0, 0, left, last)
                : new Left(opened.getLong(3 * Long.BYTES), opened.getLong(2 * Long.BYTES), left, last);
    }

    private static void read(
            ByteBuffer segment, Map<Long, ByteBuffer> open, Map<Long, Long> last, Consumer<Entry> committed) {
        for (ByteBuffer words; (words = next(segment)) != null; ) {
            long transaction = words.getLong(Long.BYTES);
            if (transaction == OPENED || words.capacity() != END_WORDS * Long.BYTES) {
                open.put(transaction, words);
                if (transaction != OPENED) {
                    last.put(transaction, words.getLong(3 * Long.BYTES));
                }
            } else {
                last.merge(transaction, words.getLong(2 * Long.BYTES), (a, b) -> Tokens.isNewer(a, b) ? a : b);
                ByteBuffer begun = open.get(transaction);
                if (begun != null && begun.getLong(3 * Long.BYTES) == words.getLong(2 * Long.BYTES)) {
                    open.remove(transaction);
                    long committedAt = words.getLong(3 * Long.BYTES);
                    if (committedAt != 0) {
                        claims(begun, committedAt, committed);
                    }
                }
            }
        }
    }

    private static void claims(ByteBuffer words, long at, Consumer<Entry> each) {
        long transaction = words.getLong(Long.BYTES);
        for (int claim = BEGIN_WORDS * Long.BYTES; claim < words.capacity(); claim += CLAIM_WORDS * Long.BYTES) {
            long recordAndScope = words.getLong(claim + 2 * Long.BYTES);
            each.accept(new Entry(
                    (int) (recordAndScope >>> Integer.SIZE),
                    new OperationId(words.getLong(claim), words.getLong(claim + Long.BYTES)),
                    (int) recordAndScope,
                    (int) (transaction >>> Integer.SIZE),
                    (int) transaction,
                    words.getLong(2 * Long.BYTES),
                    words.getLong(3 * Long.BYTES),
                    at,
                    LoggedOperations.request(
                            words.getLong(claim + 3 * Long.BYTES), words.getLong(claim + 4 * Long.BYTES))));
        }
    }

    /** Returns the words of the next entry and moves past it; null at the end of the valid entries. */
    private static @Nullable ByteBuffer next(ByteBuffer segment) {
        if (segment.remaining() < END_WORDS * Long.BYTES) {
            return null;
        }
        long first = segment.getLong(segment.position());
        long bytes = Integer.toUnsignedLong((int) first) * Long.BYTES;
        if (bytes < END_WORDS * Long.BYTES || bytes > segment.remaining()) {
            return null;
        }
        ByteBuffer words = segment.slice(segment.position(), (int) bytes).order(ByteOrder.nativeOrder());
        if (checksum(words) != first >>> Integer.SIZE) {
            return null;
        }
        segment.position(segment.position() + (int) bytes);
        return words;
    }

    private static byte[] bytes(ByteBuffer words) {
        words.putLong(0, checksum(words) << Integer.SIZE | words.capacity() / Long.BYTES);
        byte[] bytes = new byte[words.capacity()];
        words.get(0, bytes);
        return bytes;
    }

    private static ByteBuffer words(int count) {
        return ByteBuffer.allocate(count * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .position(Long.BYTES);
    }

    private static long pair(int high, int low) {
        return (long) high << Integer.SIZE | Integer.toUnsignedLong(low);
    }

    private static long checksum(ByteBuffer words) {
        return Checksum.of(words.duplicate().position(Long.BYTES).limit(words.capacity()));
    }
}
