package dev.fbf.loadtest.bench;

/**
 * One benchmark of one contender.
 *
 * @param medianNanos the median over forks and iterations, of one call in one thread
 * @param bytesPerCall what a call allocates on the heap
 */
record Measurement(
        String benchmark, Contender contender, int mebibytes, int threads, double medianNanos, double bytesPerCall) {}
