package dev.fbf.loadtest.torture.client;

import java.time.Duration;

/**
 * What clients do.
 *
 * @param clients how many there are, each a thread
 * @param operationsPerSecond of all clients together
 * @param timeout how long a client waits for an answer
 * @param window how long after its first request an operation is resent
 */
public record Traffic(int clients, double operationsPerSecond, Duration timeout, Duration window) {

    /** Shares of operations or requests. */
    static final double TWINS = 0.03;

    static final double REPLAYS = 0.05;
    static final double DELAYED = 0.03;
    static final double IMPATIENT = 0.01;
    static final double NEW_CONNECTION = 0.1;

    /** How long a client that is told to come again waits at most, whatever it is told. */
    static final Duration LONGEST_RETRY_AFTER = Duration.ofMillis(250);
}
