package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Remembers operations for a window of time, and forgets them after it.
 *
 * <p>An operation is surely found for (N + 1) periods from some moment within its put, and surely forgotten (N + 2)
 * periods and one late refresh after it, except for false positives. All methods are thread-safe and lock-free. Methods
 * that put, restore or check throw an {@link IllegalStateException} once the filter's directory is closed.
 *
 * <p>Source: Subramanyam, Gupta, Leslie and Wang, "Idempotent Distributed Counters Using a Forgetful Bloom Filter",
 * section III.
 */
public interface ForgetfulBloomFilter {

    /** Remembers an operation. Once this returns, the operation survives the death of the process. */
    void put(OperationId id);

    /** Remembers operations, each as {@link #put} does, in less time where their loads from memory overlap. */
    void putAll(OperationId... ids);

    /**
     * Checks whether an operation was put within the window.
     *
     * @return false if it surely was not put within the window; true if it was, or by a false positive
     */
    boolean mightContain(OperationId id);

    /**
     * Checks operations, each as {@link #mightContain} does, in less time where their loads from memory overlap.
     *
     * @return for each whether it might be contained
     */
    boolean[] mightContainAll(OperationId... ids);

    /**
     * Returns whether so many new operations are false positives that a check which finds an operation proves nothing: the filter is
     * {@linkplain FilterStats#overfull() overfull}, because it may not or cannot grow.
     *
     * @return the response of the last sample, a second ago or less
     */
    boolean isOverfull();

    /**
     * Remembers the request of an operation, so that {@link #isOfAnotherRequest} can distinguish it from others.
     * Callers put the request before the operation. Does nothing if the filter was not {@linkplain
     * FilterSizing#requests() sized} for it.
     *
     * <p>A request takes half of the positions of an operation, and so half of the memory.
     *
     * @param request identifies the operation and the content of its request
     */
    void putRequest(OperationId request);

    /** Remembers that the request of an operation is not known, as after a crash. Otherwise as {@link #putRequest}. */
    void putUnknownRequest(OperationId id);

    /**
     * Checks whether an operation was put for another request than this one.
     *
     * <p>The response is false if the request of the operation is not known, as when it was put before the filter was
     * sized for requests, and while the filter is {@linkplain #incompleteFor() incomplete}.
     *
     * @param id an operation that {@link #mightContain} has found
     * @param request identifies the operation and the content of its request
     * @return true if it surely was put for another request; false if it was put for this one, if that is not known, or
     *     by a false positive. That is about one in 8,500 for a filter with a false positive probability of 1e-9 and a full
     *     generation
     */
    boolean isOfAnotherRequest(OperationId id, OperationId request);

    /**
     * Remembers an operation that was put earlier and that a power failure may have taken, as of its original time.
     * Callers restore before other threads use the filter.
     *
     * @param request its request; null if there was none
     * @param putAt when it was put, by {@link #millis()}
     */
    void restore(OperationId id, @Nullable OperationId request, long putAt);

    /** {@return the filter's time, which never runs backwards, in milliseconds since 1970} */
    long millis();

    /**
     * Returns for how long the filter may still lack operations within its window: after the machine went down while it
     * was open, until a window has passed since it was opened again, by this process or an earlier one.
     *
     * @return the time left; zero if the filter lacks nothing
     */
    Duration incompleteFor();

    /**
     * Notes that the filter is not the one that was written last, and lacks operations that were put until now. A filter that is
     * opened later knows.
     */
    void noteLacking();

    /** {@return for how long it may lack operations within its window, since that was {@linkplain #noteLacking() noted}} */
    Duration lackingFor();

    /** {@return the plan of its newest arena} */
    FilterPlan plan();

    /**
     * Samples the filter's fill and its false positive probability, which takes a millisecond or two: cheap enough for
     * every second.
     *
     * @return the statistics, as of now
     */
    FilterStats stats();
}
