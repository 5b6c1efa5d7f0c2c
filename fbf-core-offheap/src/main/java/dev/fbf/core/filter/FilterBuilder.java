package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * States what a {@link KeyedFilter} is to remember, and opens it. What is not stated is as in {@link
 * FilterSizing#DEFAULT}; the ranges are those of {@link FilterSizing}. Not thread-safe.
 */
public final class FilterBuilder {

    private static final String NAME = "keys";
    private static final int LEAST_SECRET_BYTES = 16;

    private double rate = FilterSizing.DEFAULT.expectedOperationsPerSecond();
    private Duration window = FilterSizing.DEFAULT.retryWindow();
    private double falsePositiveProbability = FilterSizing.DEFAULT.falsePositiveProbability();
    private long maxBytes;
    private long @Nullable [] secret;

    FilterBuilder() {}

    /**
     * States the highest steady rate. With more the filter grows, within its limit, and forgets nothing in any case.
     *
     * @param keysPerSecond new keys a second; those of all filters that are merged into this one count
     * @return this builder
     */
    public FilterBuilder rate(double keysPerSecond) {
        rate = keysPerSecond;
        return this;
    }

    /**
     * States for how long a key is surely remembered.
     *
     * @param window the time from the last put of a key
     * @return this builder
     */
    public FilterBuilder window(Duration window) {
        this.window = window;
        return this;
    }

    /**
     * States the probability that a new key is a false positive.
     *
     * @param probability a probability; the filter keeps below it at the stated rate, and while it grows within its limit
     * @return this builder
     */
    public FilterBuilder falsePositiveProbability(double probability) {
        falsePositiveProbability = probability;
        return this;
    }

    /**
     * Limits the size. By default it is that of {@link FilterPlan#withDefaultLimit()}.
     *
     * @param bytes the limit
     * @return this builder
     */
    public FilterBuilder maxBytes(long bytes) {
        maxBytes = bytes;
        return this;
    }

    /**
     * Sets the secret with which keys are hashed: filters can be merged that have the same. By default each filter draws
     * its own.
     *
     * @param secret 16 random bytes or more
     * @return this builder
     * @throws IllegalArgumentException if they are fewer
     */
    public FilterBuilder secret(byte[] secret) {
        if (secret.length < LEAST_SECRET_BYTES) {
            throw new IllegalArgumentException("secret: must have at least " + LEAST_SECRET_BYTES + " bytes");
        }
        String digits = HexFormat.of().formatHex(secret);
        this.secret = IntStream.range(0, ProbeHash.SECRET_WORDS)
                .mapToLong(
                        word -> OperationId.of(digits, Integer.toString(word)).high())
                .toArray();
        return this;
    }

    /**
     * Creates an empty filter off the heap, which ends with the process.
     *
     * @return the filter, to be closed
     * @throws IllegalArgumentException if a statement is out of its range, or not possible within the limit
     */
    public KeyedFilter inMemory() {
        return KeyedFilter.of(new InMemoryFilter(NAME, plan(), secret));
    }

    /**
     * Opens the filter of a directory, or creates both. What was put survives the death of the process, even by {@code
     * kill -9}. If the statements differ from the last ones, the filter goes on with the new ones, and forgets nothing.
     *
     * @param directory a directory for this filter alone
     * @return the filter, to be closed
     * @throws IllegalArgumentException if a statement is out of its range, or not possible within the limit
     * @throws dev.fbf.core.StorageException if another process has the directory open, it cannot be used, or the filter in
     *     it has another secret
     */
    public KeyedFilter open(Path directory) {
        FilterPlan plan = plan();
        FilterDirectory opened = FilterDirectory.open(directory);
        boolean done = false;
        try {
            KeyedFilter filter = KeyedFilter.of(opened, NAME, opened.filter(NAME, plan, secret));
            done = true;
            return filter;
        } finally {
            if (!done) {
                opened.close();
            }
        }
    }

    private FilterPlan plan() {
        FilterPlan plan = new FilterSizing(
                        rate, window, falsePositiveProbability, maxBytes == 0 ? FilterSizing.UNLIMITED : maxBytes)
                .plan();
        return maxBytes == 0 ? plan.withDefaultLimit() : plan;
    }
}
