package dev.fbf.sample.race;

/** A way to count. Thread-safe. */
interface Contender {

    /** The contender's name; its counter is the row of this name in the table {@code race}. */
    String name();

    /**
     * Adds 1, and returns when that is committed.
     *
     * @param key names the operation, the same each time that it is sent
     */
    void count(String key);
}
