package dev.fbf.core.guard;

import dev.fbf.core.memory.WordFile;
import dev.fbf.core.memory.Words;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that the rows of a node's slots surely have in one database, in the file {@code fbf.tokens~<hash of the
 * database>}, so that the node notices when the database has forgotten some, also after a restart. Format 2; all words
 * are 64 bits in native byte order.
 *
 * <pre>
 *  word   0       1         2          3      4       64        65         66
 *         +-------+---------+----------+------+-------+---------+----------+---------+----------+---
 *         | magic | version | capacity | boot | zeros | token 0 | lost at 0 | token 1 | lost at 1 | …
 *         +-------+---------+----------+------+-------+---------+----------+---------+----------+---
 * </pre>
 *
 * <p>A token of -1 is not known. "Lost at" is when a slot was found whose last
 * transaction is gone, in milliseconds since 1970, and zero otherwise. Tokens are not forced to the disk: those of another boot
 * of the machine do not count.
 *
 * <p>In format 1 the rows had the node's name, and those of two transaction managers that work on one database were the same. Its
 * file is taken over when nothing is in doubt, with tokens that are not known. Thread-safe.
 */
final class SlotTokens {

    static final int HEADER_WORDS = 64;

    /** Stands for a token that is not known; no row has it. */
    static final long UNKNOWN = -1;

    private static final long MAGIC = 0x46_42_46_2D_54_4F_4B_4EL; // "FBF-TOKN"
    private static final long VERSION = 2;
    private static final int VERSION_WORD = 1;
    private static final int CAPACITY_WORD = 2;
    private static final int BOOT_WORD = 3;

    private static final int SLOT_WORDS = 2;
    private static final int LOST_AT = 1;

    private final Words words;
    private final int capacity;

    SlotTokens(Words words, int capacity) {
        this.words = words;
        this.capacity = capacity;
    }

    /**
     * Opens the file in a directory. Creates it if it does not exist or has another number of slots.
     *
     * @param boot the id of the machine's current boot; 0 if it is not known
     * @param inDoubt whether the last process has left transactions in doubt in the database
     */
    static SlotTokens open(Path directory, int database, int capacity, long boot, boolean inDoubt) {
        WordFile file = kind(directory.resolve("fbf.tokens~" + Integer.toHexString(database)));
        SlotTokens known = null;
        if (Files.exists(file.path())) {
            Words words = file.open(header -> bytes((int) header.getVolatile(CAPACITY_WORD)));
            known = new SlotTokens(words, (int) words.getVolatile(CAPACITY_WORD));
            if (boot == 0 || words.getVolatile(BOOT_WORD) != boot) {
                known.forget();
            }
            if (known.areNamedByNode() && !inDoubt) {
                known.forget();
                words.setRelease(VERSION_WORD, VERSION);
                words.force();
            }
        }
        SlotTokens tokens = known;
        if (tokens == null || tokens.capacity != capacity) {
            long version = known == null ? VERSION : known.words.getVolatile(VERSION_WORD);
            tokens = new SlotTokens(
                    file.create(bytes(capacity), words -> initialize(words, version, capacity)), capacity);
            for (int slot = 0; known != null && slot < Math.min(capacity, known.capacity); slot++) {
                tokens.set(slot, known.get(slot));
                tokens.words.setRelease(word(slot) + LOST_AT, known.words.getVolatile(word(slot) + LOST_AT));
            }
        }
        tokens.words.setRelease(BOOT_WORD, boot);
        return tokens;
    }

    private static void initialize(Words words, long version, int capacity) {
        words.setRelease(0, MAGIC);
        words.setRelease(VERSION_WORD, version);
        words.setRelease(CAPACITY_WORD, capacity);
        new SlotTokens(words, capacity).forget();
    }

    int capacity() {
        return capacity;
    }

    /** Whether the rows have the node's own name, as in format 1. */
    boolean areNamedByNode() {
        return words.getVolatile(VERSION_WORD) == 1;
    }

    long get(int slot) {
        return words.getVolatile(word(slot));
    }

    void set(int slot, long token) {
        words.setRelease(word(slot), token);
    }

    boolean compareAndSet(int slot, long expected, long token) {
        return words.compareAndSet(word(slot), expected, token);
    }

    /** Forgets the tokens, but not what was lost. */
    void forget() {
        for (int slot = 0; slot < capacity; slot++) {
            set(slot, UNKNOWN);
        }
    }

    /** Notes that the last transactions in some slots are gone. */
    void lose(Collection<Integer> slots, Instant now) {
        slots.forEach(slot -> words.setRelease(word(slot) + LOST_AT, now.toEpochMilli()));
        words.force();
    }

    /** Returns what was lost and not accepted; null if nothing. */
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

    /** An operator knows of what was lost. */
    void acceptLost() {
        for (int slot = 0; slot < capacity; slot++) {
            words.setRelease(word(slot) + LOST_AT, 0);
        }
        words.force();
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
                "Restore it from where it was changed; or move it away: then it is not noticed if the database has forgotten"
                        + " commits since this node last ran.",
                "allow fewer claims");
    }
}
