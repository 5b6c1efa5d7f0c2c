package dev.fbf.loadtest;

/**
 * What the clients of one stage do to each endpoint.
 *
 * @param operations how many distinct operations
 * @param retries the share of operations that are sent again although they were acknowledged
 * @param maxSends such an operation is sent until it is acknowledged, from twice to this many times over
 * @param atOnce the share of operations whose first request has a twin at the same time
 * @param giveUps the share of requests whose client is in a hurry
 * @param maxAttempts an operation that was not acknowledged after this many attempts failed
 */
public record Plan(int operations, double retries, int maxSends, double atOnce, double giveUps, int maxAttempts) {

    public Plan {
        if (retries > 0 && maxSends < 2) {
            throw new IllegalArgumentException(
                    "retries=" + retries + ", maxSends=" + maxSends + ": a retry is a second request at least");
        }
    }

    /** Each operation is sent once, and waited for. */
    public static Plan calm(int operations) {
        return new Plan(operations, 0, 1, 0, 0, 1);
    }
}
