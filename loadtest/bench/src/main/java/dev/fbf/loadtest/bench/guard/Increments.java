package dev.fbf.loadtest.bench.guard;

/** Adds one to a counter. */
interface Increments {

    /**
     * Adds one.
     *
     * @param counter which of the counters
     * @param key names the operation
     * @throws org.springframework.dao.DuplicateKeyException if the operation was applied before, for some
     */
    void increment(int counter, String key);
}
