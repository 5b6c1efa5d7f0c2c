package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Remembers operations for a window of time, and forgets them after it.
 *
 * <p>An operation that was put is surely found for (N + 1) periods, from some moment within its put on, and surely
 * forgotten (N + 2) periods and one late refresh after it, but for false positives. All methods are thread-safe and lock-free.
 *
 * <p>Source: Subramanyam, Gupta, Leslie and Wang, "Idempotent Distributed Counters Using a Forgetful Bloom Filter",
 * section III.
 */
public interface ForgetfulBloomFilter {

    /**
     * Remembers an operation. Once this returns, the operation survives the death of the process.
     *
     * @param id the operation
     * @throws IllegalStateException if the filter's directory was closed
     */
    void put(OperationId id);

    /**
     * Tells whether an operation was put within the window.
     *
     * @param id the operation
     * @return false if it surely was not put within the window; true if it was, or by a false positive
     * @throws IllegalStateException if the filter's directory was closed
     */
    boolean mightContain(OperationId id);

    /**
     * Remembers the request of an operation, so that {@link #isOfAnotherRequest} can tell it from others. To be called
     * before the operation is put. Does nothing if the filter was not {@linkplain FilterSizing#requests() sized} for it.
     *
     * <p>A request takes half of the positions that an operation takes, and so half of the memory.
     *
     * @param request names the operation and what the request for it is like
     * @throws IllegalStateException if the filter's directory was closed
     */
    default void putRequest(OperationId request) {
        // it is not sized for it
    }

    /**
     * Remembers that nobody knows the request of an operation, as after a crash. Otherwise as {@link #putRequest}.
     *
     * @param id the operation
     * @throws IllegalStateException if the filter's directory was closed
     */
    default void putUnknownRequest(OperationId id) {
        // it is not sized for it
    }

    /**
     * Tells whether an operation was put for another request than this one.
     *
     * <p>Operations that were put when the filter was not sized for requests, or whose request is unknown, are of no other
     * request, and none is while the filter is {@linkplain #incompleteFor() incomplete}.
     *
     * @param id an operation that {@link #mightContain} has found
     * @param request names the operation and what the request for it is like
     * @return true if it surely was put for another request; false if it was put for this one, if that is not known, or by a
     *     false positive: about one in 8,500 for a filter with a false positive probability of 1e-9 and a full generation
     * @throws IllegalStateException if the filter's directory was closed
     */
    default boolean isOfAnotherRequest(OperationId id, OperationId request) {
        return false;
    }

    /**
     * Remembers an operation that was put earlier, as if it had been there ever since: a power failure may have taken it. To be
     * called before other threads use the filter.
     *
     * @param id the operation
     * @param request its request; null if there was none
     * @param putAt when it was put, by {@link #millis()}
     * @throws IllegalStateException if the filter's directory was closed
     */
    default void restore(OperationId id, @Nullable OperationId request, long putAt) {
        if (request != null) {
            putRequest(request);
        }
        put(id);
    }

    /**
     * Returns the filter's time, which never runs backwards.
     *
     * @return milliseconds since 1970
     */
    default long millis() {
        return System.currentTimeMillis();
    }

    /**
     * Tells for how long the filter may yet lack some of what it should remember. It may after the machine went down
     * while it was open, until a window has passed since it was opened again, by this process or one before it.
     *
     * @return zero if it lacks nothing
     */
    default Duration incompleteFor() {
        return Duration.ZERO;
    }

    /**
     * Returns what the filter is planned for, and how it is laid out.
     *
     * @return the plan of its newest arena
     */
    FilterPlan plan();

    /**
     * Looks how the filter is doing: a millisecond's work or two, cheap enough for every second.
     *
     * @return how full it is and how often it is mistaken now
     */
    FilterStats stats();
}
