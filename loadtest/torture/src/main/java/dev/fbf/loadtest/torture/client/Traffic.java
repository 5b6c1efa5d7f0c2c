package dev.fbf.loadtest.torture.client;

import java.time.Duration;

/**
 * What clients do.
 *
 * @param clients how many there are, each a thread
 * @param operationsPerSecond of all clients together, but in a surge
 * @param timeout how long a client waits for a response
 * @param window how long after its first request an operation is resent
 */
public record Traffic(int clients, double operationsPerSecond, Duration timeout, Duration window) {

    /** So many times as many operations begin in a surge. */
    static final double SURGE = 4;

    /**
     * What a request may take from the client until it is read: longer than the proxies hold anything back. An operation
     * that is resent so long before its window ends arrives within it.
     */
    static final Duration LONGEST_ON_THE_WAY = Duration.ofSeconds(8);

    /** Shares of operations or requests. */
    static final double TWINS = 0.03;

    static final double REPLAYS = 0.05;
    static final double DELAYED = 0.03;
    static final double IMPATIENT = 0.01;
    static final double NEW_CONNECTION = 0.1;

    /** How long a client that is told to come again waits at most, whatever it is told. */
    static final Duration LONGEST_RETRY_AFTER = Duration.ofMillis(250);
}
