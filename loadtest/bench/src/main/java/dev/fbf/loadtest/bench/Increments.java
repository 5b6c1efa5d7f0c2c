package dev.fbf.loadtest.bench;

/** Adds one to a counter. */
@FunctionalInterface
public interface Increments {

    /**
     * Adds one.
     *
     * @param key names the operation
     * @throws org.springframework.dao.DuplicateKeyException if the operation was applied before, for some
     */
    void increment(int counter, String key);
}
