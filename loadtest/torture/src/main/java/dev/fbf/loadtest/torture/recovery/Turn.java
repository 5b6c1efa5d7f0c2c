package dev.fbf.loadtest.torture.recovery;

/**
 * One kill of a contender and the start after it.
 *
 * @param contender its name
 * @param seconds from the start of the process until it was ready
 * @param processorSeconds processor time of the process until then: other work on the machine hardly shows in it
 * @param unanswered how many requests it had not answered when it was killed
 * @param settled how many transactions it found in doubt at its start and settled
 * @param load the machine's load average of the minute before
 */
record Turn(String contender, double seconds, double processorSeconds, int unanswered, int settled, double load) {}
