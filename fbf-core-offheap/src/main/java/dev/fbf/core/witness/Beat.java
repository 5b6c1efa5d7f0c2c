package dev.fbf.core.witness;

import dev.fbf.core.DurationText;
import dev.fbf.core.filter.FileBeat;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Beat of a scope: a number with random bits that each renewal of its lease raises, in the scope's files and in its row {@code fbf_lease}. It
 * shows whether files and row are of the same time. Thread-safe.
 *
 * <pre>
 *   47              17 16            0
 *  +------------------+---------------+
 *  | number           | random bits   |     0: no beat
 *  +------------------+---------------+
 * </pre>
 *
 * <p>The number is the time in seconds since 2020, or one more than the number before if that is higher.
 */
public final class Beat {

    /*
     * A renewal, or a registration, raises the beat in three steps; each file f of the filter has an intent i(f) and a confirmed beat c(f):
     *
     *   1  draw n, higher than all before;  i(f) := n for each f       unless an intent is pending: then n is that intent
     *   2  row := n, by compare-and-set from the confirmed beat or the intent, and COMMIT
     *   3  c(f) := n for each f                                        only now can another intent follow
     *
     * So at each moment the row has c(f) or i(f), for each f: before step 1 both are the row's; between the steps the row has c(f) before
     * COMMIT and i(f) after it, and a process that does not know whether COMMIT arrived repeats steps 2 and 3 with the same intent. Stores to
     * a mapped file survive the process. So neither a kill -9 nor a COMMIT without a response leads to a disagreement. Any other one proves a
     * loss, because beats of a scope are only ever raised:
     *
     *   row higher than c(f), not i(f)       The row was written after f: f is older. If the row is that of another node, this node has been
     *                                        away, and the lease decides. Otherwise the directory or f was put back, its disk has lost
     *                                        writes, or another process has used a copy. It may lack operations: hold back for a window.
     *   row not higher than c(f), not c(f)   The row had c(f), which COMMIT has confirmed, and lost it: the database was put back, perhaps
     *                                        with renewals since (the same number with other random bits), or is another one (no row).
     *   row higher than the node's last beat The file of the claims is older, for it gets each beat before the filter's files.
     *
     * The beat is stored as the operations are, and the operating system writes both to the disk within half a minute. So a disk that has
     * lost the operations of some seconds has lost the beats of that time, too. After a power failure this proves nothing more than the
     * failure itself: a file that is up to a minute older is left to the policy. The file of the claims has its beat on the disk.
     *
     * A file without a beat beside others is an arena that has not taken over yet, and is empty. Without a beat in any file the filter is new:
     * it lacks operations if there is a row of this node.
     *
     * Not noticed: a loss between two renewals, of 5 s at most, and a snapshot of both sides at one moment. Only tokens of transactions show
     * the former, if their slots are used again (see WitnessedTransaction).
     */
    private static final Logger log = LoggerFactory.getLogger(Beat.class);

    /** The beat of a missing row, and of a file before its first one. */
    public static final long NONE = 0;

    private static final int RANDOM_BITS = 17;

    /** 2020-01-01T00:00:00Z, in seconds since 1970. */
    private static final long EPOCH = 1_577_836_800;

    /** The time whose operations a power failure may have taken, in seconds. */
    private static final long LOST_BY_POWER_FAILURE = 60;

    /** Side that has gone back in time. */
    public enum Older {
        /** The database has lost commits. */
        DATABASE,
        /** A file of the scope. */
        FILTER,
        /** The file of the claims, which all scopes share. */
        CLAIMS
    }

    private final ScopeClaims scope;
    private final RecordedClaims claims;

    /** The table whose row this process has raised with the files first; null before. */
    private final AtomicReference<@Nullable Object> table = new AtomicReference<>();

    Beat(ScopeClaims scope, RecordedClaims claims) {
        this.scope = scope;
        this.claims = claims;
    }

    static long number(long beat) {
        return beat >>> RANDOM_BITS;
    }

    static long of(long number, int random) {
        return number << RANDOM_BITS | random >>> (Integer.SIZE - RANDOM_BITS);
    }

    /** Returns a beat with a higher number than the given one. */
    static long above(long number, SecureRandom random) {
        long now = System.currentTimeMillis() / 1_000 - EPOCH;
        return of(Math.max(number + 1, now), random.nextInt());
    }

    /** {@return the beats that the row has if no side has gone back in time, the lowest first; none if the files disagree} */
    public Set<Long> expected() {
        List<FileBeat> files = files();
        Set<Long> expected = new TreeSet<>();
        for (FileBeat file : files) {
            expected.add(file.confirmed());
            expected.add(file.intended());
        }
        expected.removeIf(beat -> !files.stream().allMatch(file -> file.mayBe(beat)));
        return expected;
    }

    /**
     * Compares the files with the row.
     *
     * @param row its beat; {@link #NONE} without a row
     * @param ofThisNode whether this node was the last one to raise it
     * @return the sides that are older; none if they agree
     */
    public Set<Older> compare(long row, boolean ofThisNode) {
        Set<Older> older = EnumSet.noneOf(Older.class);
        for (FileBeat file : files()) {
            if (!file.mayBe(row) && number(row) <= number(file.confirmed())) {
                older.add(Older.DATABASE);
            } else if (!file.mayBe(row) && ofThisNode && !isOlderByPowerFailure(file, row)) {
                older.add(Older.FILTER);
            }
        }
        if (ofThisNode && claims.areOlder(row)) {
            older.add(Older.CLAIMS);
        }
        return older;
    }

    private boolean isOlderByPowerFailure(FileBeat file, long row) {
        return scope.mayLackAfterPowerFailure() && number(row) - number(file.confirmed()) <= LOST_BY_POWER_FAILURE;
    }

    /** Records that a side is older: operations are held back for a window, or wait for an operator. */
    public void note(Set<Older> older) {
        claims.inside(() -> {
            if (older.contains(Older.DATABASE)) {
                scope.noteLost();
            }
            if (older.contains(Older.FILTER)) {
                scope.noteLacking();
            }
            if (older.contains(Older.CLAIMS)) {
                claims.noteOlder();
            }
            if (older.contains(Older.FILTER) || older.contains(Older.CLAIMS)) {
                sayOlder();
            }
            return NONE;
        });
    }

    private void sayOlder() {
        claims.behind = true;
        log.atError()
                .addKeyValue("scope", scope.scope())
                .log(
                        "The directory of this node is older than the database of scope {}, or a file in it is: it is"
                                + " an earlier copy, a file was removed or overwritten, or another process uses a copy of"
                                + " it. All operations are refused for {}, because retries of operations that the"
                                + " directory lacks may arrive.",
                        scope.scope(),
                        DurationText.of(scope.heldBackFor()));
    }

    /**
     * Raises the intended beat in the files, after a check that they are in place.
     *
     * @param row the row's beat; {@link #NONE} without a row
     * @return the beat that the row must get next
     * @throws dev.fbf.core.StorageException if a file has failed: no operation is admitted until the next start
     */
    public long intend(long row) {
        return claims.inside(() -> {
            List<FileBeat> files = files();
            long pending = files.stream().mapToLong(FileBeat::intended).max().orElse(NONE);
            boolean isPending = row != pending && files.stream().allMatch(file -> file.mayBe(row));
            if (!isPending) {
                scope.filter.confirm(row);
            }
            long beat = isPending ? pending : claims.draw(Math.max(number(row), number(pending)));
            scope.filter.intend(beat);
            return beat;
        });
    }

    /**
     * Records in the files that the row has the intended beat.
     *
     * @param inTable the table with the row
     */
    public void confirm(long beat, Object inTable) {
        table.compareAndSet(null, inTable);
        confirm(beat);
    }

    /** {@return whether this process has raised the beat with a row in another table} Files can agree with one database only. */
    public boolean isOfAnother(Object inTable) {
        Object first = table.get();
        return first != null && first != inTable;
    }

    void confirm(long beat) {
        claims.inside(() -> {
            scope.filter.confirm(beat);
            return beat;
        });
    }

    /** Returns the beats of the files that have one; that of a new filter if none has. */
    private List<FileBeat> files() {
        List<FileBeat> all = claims.access(scope.filter::beats);
        List<FileBeat> beating =
                all.stream().filter(file -> file.intended() != NONE).toList();
        return beating.isEmpty() ? all : beating;
    }
}
