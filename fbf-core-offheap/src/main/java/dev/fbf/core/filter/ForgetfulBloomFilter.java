package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Filter that remembers operations for a window of time, and then forgets them.
 *
 * <p>An operation is found for a {@linkplain FilterPlan#window() window} from a moment within its put, unless the filter is {@linkplain
 * #incompleteFor() incomplete} or {@linkplain #lackingFor() lacks operations}. It is forgotten at the latest one period and one refresh
 * delay later, except for false positives. All methods except {@link #restore} are thread-safe and lock-free. Methods that write or check
 * throw an {@link IllegalStateException} once the filter is closed.
 *
 * <p>Source: Subramanyam, Gupta, Leslie and Wang, "Idempotent Distributed Counters Using a Forgetful Bloom Filter", section III.
 */
public interface ForgetfulBloomFilter {

    /** Remembers an operation. Once this returns, the operation survives the death of the process if the filter is in a directory. */
    void put(OperationId id);

    /**
     * Checks whether an operation was put within the window.
     *
     * @return false if it definitely was not put within the window; true if it was, or is a false positive
     */
    boolean mightContain(OperationId id);

    /** {@return whether the filter was {@linkplain FilterStats#overfull() overfull} at the last sample: a hit then proves nothing} */
    boolean isOverfull();

    /**
     * Remembers the request of an operation for {@link #isOfAnotherRequest}. Callers put the request before the operation. Has no effect if
     * the filter was not {@linkplain FilterSizing#requests() sized} for requests.
     *
     * @param request identifies the operation and the content of its request
     */
    void putRequest(OperationId request);

    /** Remembers that the request of an operation is not known, for example after a crash. Otherwise as {@link #putRequest}. */
    void putUnknownRequest(OperationId id);

    /**
     * Checks whether an operation was put for another request than this one.
     *
     * <p>Returns false if the operation's request is not known: it was {@linkplain #putUnknownRequest put as unknown}, the operation was
     * put before the filter was sized for requests, or the filter is {@linkplain #incompleteFor() incomplete}.
     *
     * @param id an operation that {@link #mightContain} has found
     * @return true if it was put for another request or without one; false if it was put for this one, if that is not known, or by a false
     *     positive. The probability of a false positive here is about 1 in 8,500, if the filter's own is 1e-9 and a generation is full
     */
    boolean isOfAnotherRequest(OperationId id, OperationId request);

    /**
     * Remembers an operation as of its original time, unless that is a window ago. Not called once other threads use the filter.
     *
     * @param request its request; null if there was none
     * @param putAt the time of its put, by {@link #millis()}
     */
    void restore(OperationId id, @Nullable OperationId request, long putAt);

    /** {@return the filter's time, which never runs backwards, in milliseconds since 1970} */
    long millis();

    /**
     * {@return the time for which the filter may still lack operations, because the machine went down (detected on Linux only) while it was
     * open: until a window has passed since it was opened again; zero if the filter is complete}
     */
    Duration incompleteFor();

    /** Records, in its file if it has one, that the filter may lack operations put until now: for example, a file is an older copy. */
    void noteLacking();

    /** {@return the time for which the filter may still lack operations within its window, after {@link #noteLacking()}} */
    Duration lackingFor();

    /** {@return the beat of each of the filter's files} */
    List<FileBeat> beats();

    /** Records in each file the beat that the database is to get. */
    void intend(long beat);

    /** Records in each file that the database has a beat. */
    void confirm(long beat);

    /** Records, in its file if it has one, whether the database lacks operations that the filter remembers. */
    void noteLost(boolean lost);

    /** {@return the time at which the database was found to lack operations, in milliseconds since 1970; 0 if it lacks none} */
    long lostSince();

    /** {@return the plan of the filter's newest arena} */
    FilterPlan plan();

    /** {@return the statistics, as of now; a sample takes a millisecond or two, so that it can run every second} */
    FilterStats stats();
}
