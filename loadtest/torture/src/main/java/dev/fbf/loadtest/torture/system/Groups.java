package dev.fbf.loadtest.torture.system;

/**
 * The groups that were committed, as the database wrote them down.
 *
 * @param count how many there were
 * @param operations how many operations they had
 * @param ofSeveral how many groups had more than one operation
 * @param operationsOfSeveral how many operations those had
 * @param largest how many operations the largest had
 */
record Groups(long count, long operations, long ofSeveral, long operationsOfSeveral, long largest) {

    double meanSize() {
        return count == 0 ? 0 : (double) operations / count;
    }
}
