package dev.fbf.loadtest.torture.recovery;

/**
 * One kill of a contender and the start after it. Times are in seconds from the start of the process.
 *
 * @param contender its name
 * @param firstResponse until it answered anything
 * @param applied until it had applied an operation
 * @param processor processor time of the process until then: other work on the machine hardly shows in it
 * @param refusedWhileReady how many operations it refused for what was left in doubt, though it said that it was ready
 * @param unanswered how many requests it had not answered when it was killed
 * @param settled how many transactions it found in doubt at its start and settled
 * @param load the machine's load average of the minute before
 */
record Turn(
        String contender,
        double firstResponse,
        double applied,
        double processor,
        int refusedWhileReady,
        int unanswered,
        int settled,
        double load) {

    /** How long clients had to wait from the first response until an operation was applied, in seconds. */
    double untilApplied() {
        return applied - firstResponse;
    }
}
