package dev.fbf.sample.race;

/** A way to count. Thread-safe. */
interface Contender {

    /** What it is called; its counter is the row of the table {@code race} of this name. */
    String name();

    /**
     * Adds 1, and returns when that is committed.
     *
     * @param key names the operation, the same each time that it is sent
     */
    void count(String key);
}
