package dev.fbf.loadtest;

/**
 * What the clients of one phase do to each endpoint.
 *
 * @param operations how many distinct operations
 * @param maxSends each operation is sent until it is acknowledged, from once to this many times over
 * @param atOnce the share of operations whose first request has a twin at the same time
 * @param giveUps the share of requests whose client hardly waits
 * @param maxAttempts an operation that was not acknowledged after this many attempts failed
 */
record Plan(int operations, int maxSends, double atOnce, double giveUps, int maxAttempts) {

    /** Each operation is sent once, and waited for. */
    static Plan calm(int operations) {
        return new Plan(operations, 1, 0, 0, 1);
    }
}
