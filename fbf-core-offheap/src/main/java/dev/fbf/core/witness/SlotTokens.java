package dev.fbf.core.witness;

import dev.fbf.core.file.WordFile;
import dev.fbf.core.memory.ReleasedWords;
import dev.fbf.core.memory.Words;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Last tokens of a node's slots in one database, in the file {@code fbf.tokens~<hash of the database>}. With them the node detects commits
 * that the database has lost, also after a restart. Format 2; all words are 64 bits in native byte order.
 *
 * <pre>
 *  word   0       1         2          3      4        5        6       7          64        65
 *         +-------+---------+----------+------+--------+--------+-------+------+---+---------+-----------+---
 *         | magic | version | capacity | boot | closed | behind | alive | runs | 0 | token 0 | lost at 0 | …
 *         +-------+---------+----------+------+--------+--------+-------+------+---+---------+-----------+---
 * </pre>
 *
 * <p>A token of -1 is unknown. Times are in milliseconds since 1970; zero means none. "Lost at": the time at which the slot's last
 * transaction was found missing. "Closed": the orderly shutdown of the last process. "Behind": the time at which the directory was found
 * to lack commits. "Alive" is forced to the disk every few seconds. Runs are a count and the ids of the last 16 processes. Words 40 and 41
 * are the node's id: if the claims file is gone, a new node with other rows begins, to which these tokens do not apply.
 *
 * <p>In format 1 the rows had the node's id, and two transaction managers of one database shared them. Such a file is converted when no
 * transaction is in doubt, with unknown tokens. Thread-safe.
 */
final class SlotTokens {

    static final int HEADER_WORDS = 64;

    /** Unknown token; rows never have it. */
    static final long UNKNOWN = -1;

    /**
     * The span before a power failure whose writes may be lost: the operating system writes changed pages to the disk after 30 s, and
     * {@link #noteAlive} forces the time.
     */
    static final long LAST_MILLIS = 60_000;

    private static final long MAGIC = 0x46_42_46_2D_54_4F_4B_4EL; // "FBF-TOKN"
    private static final long VERSION = 2;
    private static final int VERSION_WORD = 1;
    private static final int CAPACITY_WORD = 2;
    private static final int BOOT_WORD = 3;
    private static final int CLOSED_AT_WORD = 4;
    private static final int BEHIND_AT_WORD = 5;
    private static final int ALIVE_AT_WORD = 6;
    private static final int RUN_COUNT_WORD = 7;
    private static final int RUNS_WORD = 8;

    /** The number of stored process ids. More than one, because a process may be killed before other nodes see it in the registry. */
    private static final int RUNS = 16;

    private static final int NODE_WORD = RUNS_WORD + 2 * RUNS;
    private static final UUID NO_NODE = new UUID(0, 0);

    private static final int SLOT_WORDS = 2;
    private static final int LOST_AT = 1;

    private Words words;
    private final int capacity;

    /** The last time at which the previous process was certainly alive, in milliseconds since 1970. */
    private final long writtenAt;

    /** Whether a power failure may have taken the last minute of the previous process. */
    private final boolean mayLag;

    /** Ids of the processes that used this directory last. */
    private final Set<UUID> earlierRuns;

    /**
     * Reads the state that the previous process left.
     *
     * @param boot the id of the machine's current boot; 0 if it is unknown
     */
    SlotTokens(Words words, int capacity, long boot) {
        this.words = words;
        this.capacity = capacity;
        boolean isSameBoot = boot != 0 && words.getVolatile(BOOT_WORD) == boot;
        mayLag = !isSameBoot && words.getVolatile(CLOSED_AT_WORD) == 0;
        writtenAt = IntStream.range(0, capacity)
                .mapToLong(this::get)
                .filter(token -> token != UNKNOWN)
                .map(Tokens::millis)
                .reduce(words.getVolatile(ALIVE_AT_WORD), Math::max);
        earlierRuns = IntStream.range(0, RUNS)
                .map(run -> RUNS_WORD + 2 * run)
                .mapToObj(word -> new UUID(words.getVolatile(word), words.getVolatile(word + 1)))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Opens the file in a directory. Creates it if it does not exist or has another number of slots.
     *
     * @param boot the id of the machine's current boot; 0 if it is unknown
     * @param node the node's id
     * @param inDoubt whether the last process has left transactions in doubt in the database
     */
    static SlotTokens open(Path directory, int database, int capacity, long boot, UUID node, boolean inDoubt) {
        WordFile file = kind(directory.resolve("fbf.tokens~" + Integer.toHexString(database)));
        SlotTokens tokens;
        if (Files.exists(file.path())) {
            Words words = file.open(header -> bytes((int) header.getVolatile(CAPACITY_WORD)));
            tokens = new SlotTokens(words, (int) words.getVolatile(CAPACITY_WORD), boot);
            if (tokens.areNamedByNode() && !inDoubt) {
                tokens.forget();
                words.setRelease(VERSION_WORD, VERSION);
                words.force();
            }
            if (tokens.capacity != capacity) {
                Words before = words;
                tokens = new SlotTokens(
                        file.create(bytes(capacity), larger -> copy(before, larger, capacity)), capacity, boot);
            }
        } else {
            tokens = new SlotTokens(file.create(bytes(capacity), words -> initialize(words, capacity)), capacity, boot);
        }
        tokens.belongTo(node);
        tokens.words.setRelease(BOOT_WORD, boot);
        tokens.words.setRelease(CLOSED_AT_WORD, 0);
        tokens.noteAlive(Instant.now());
        return tokens;
    }

    private static void initialize(Words words, int capacity) {
        words.setRelease(0, MAGIC);
        words.setRelease(VERSION_WORD, VERSION);
        words.setRelease(CAPACITY_WORD, capacity);
        for (int slot = 0; slot < capacity; slot++) {
            words.setRelease(word(slot), UNKNOWN);
        }
    }

    private static void copy(Words from, Words to, int capacity) {
        initialize(to, capacity);
        for (int word = VERSION_WORD; word < HEADER_WORDS; word++) {
            if (word != CAPACITY_WORD) {
                to.setRelease(word, from.getVolatile(word));
            }
        }
        for (long word = HEADER_WORDS; word < Math.min(from.size(), to.size()); word++) {
            to.setRelease(word, from.getVolatile(word));
        }
    }

    private void belongTo(UUID node) {
        UUID known = new UUID(words.getVolatile(NODE_WORD), words.getVolatile(NODE_WORD + 1));
        if (!known.equals(node)) {
            if (!known.equals(NO_NODE)) {
                forget();
            }
            words.setRelease(NODE_WORD, node.getMostSignificantBits());
            words.setRelease(NODE_WORD + 1, node.getLeastSignificantBits());
            words.force();
        }
    }

    /** Releases the words, so that the file can be unmapped. */
    void release() {
        words = new ReleasedWords();
    }

    int capacity() {
        return capacity;
    }

    /** Returns whether the rows have the node's own id, as in format 1. */
    boolean areNamedByNode() {
        return words.getVolatile(VERSION_WORD) == 1;
    }

    long get(int slot) {
        return words.getVolatile(word(slot));
    }

    void set(int slot, long token) {
        words.setChecked(word(slot), token);
    }

    boolean compareAndSet(int slot, long expected, long token) {
        return words.compareAndSet(word(slot), expected, token);
    }

    /** Clears the tokens, and keeps the lost transactions. */
    void forget() {
        for (int slot = 0; slot < capacity; slot++) {
            set(slot, UNKNOWN);
        }
    }

    /** Records that the last transactions of some slots are lost. */
    void lose(Collection<Integer> slots, Instant now) {
        slots.forEach(slot -> words.setRelease(word(slot) + LOST_AT, now.toEpochMilli()));
        words.force();
    }

    /** Returns the lost transactions that were not accepted yet; null if there are none. */
    @Nullable LostCommits lost() {
        int slots = 0;
        long since = 0;
        for (int slot = 0; slot < capacity; slot++) {
            long lostAt = words.getVolatile(word(slot) + LOST_AT);
            slots += lostAt == 0 ? 0 : 1;
            since = Math.max(since, lostAt);
        }
        return slots == 0 ? null : new LostCommits(slots, Instant.ofEpochMilli(since));
    }

    /** Clears the lost transactions after an operator has accepted them. */
    void acceptLost() {
        for (int slot = 0; slot < capacity; slot++) {
            words.setRelease(word(slot) + LOST_AT, 0);
        }
        words.force();
    }

    /**
     * Returns whether a power failure may be the reason why this file lacks a row's token.
     *
     * @param row a token that is newer than this file's
     */
    boolean mayLag(long row) {
        return mayLag && Tokens.millis(row) - writtenAt <= LAST_MILLIS;
    }

    boolean mayLag() {
        return mayLag;
    }

    /** Records that the directory lacks commits. */
    void noteBehind(Instant now) {
        words.setRelease(BEHIND_AT_WORD, now.toEpochMilli());
        words.force();
    }

    /** Returns whether the directory was found to lack commits within the given time before now. */
    boolean wasBehindWithin(Duration time, Instant now) {
        long at = words.getVolatile(BEHIND_AT_WORD);
        return at != 0 && now.toEpochMilli() - at < time.toMillis(); // also true if the clock was set back
    }

    /** Forces the time to the disk; fails if the disk has failed, or the file is gone. */
    void noteAlive(Instant now) {
        words.requireInPlace();
        words.setRelease(ALIVE_AT_WORD, now.toEpochMilli());
        words.force(0, HEADER_WORDS);
    }

    /** Records an orderly shutdown, with all tokens on the disk. */
    void close(Instant now) {
        words.setRelease(CLOSED_AT_WORD, now.toEpochMilli());
        words.force();
    }

    /** Returns the ids of the processes that used this directory last. */
    Set<UUID> earlierRuns() {
        return earlierRuns;
    }

    /** Records the id of the process that uses this directory from now on. */
    void run(UUID run) {
        long count = words.getVolatile(RUN_COUNT_WORD);
        int word = RUNS_WORD + 2 * Math.floorMod(count, RUNS);
        words.setRelease(word, run.getMostSignificantBits());
        words.setRelease(word + 1, run.getLeastSignificantBits());
        words.setRelease(RUN_COUNT_WORD, count + 1);
    }

    private static long word(int slot) {
        return HEADER_WORDS + (long) slot * SLOT_WORDS;
    }

    static long words(int capacity) {
        return word(capacity);
    }

    private static long bytes(int capacity) {
        return words(capacity) * Long.BYTES;
    }

    private static WordFile kind(Path file) {
        return new WordFile(
                "The file of the tokens",
                file,
                MAGIC,
                VERSION,
                HEADER_WORDS,
                "Restore the original file; or move it away: then commits that the database has lost since this node's"
                        + " last run are not detected.",
                "allow fewer claims");
    }
}
