package dev.fbf.loadtest.bench.guard;

/**
 * What a contender did while it was its turn.
 *
 * @param contender who
 * @param perSecond how many increments were committed in a second
 * @param p50Micros half of them took no longer, in microseconds
 * @param p99Micros all but one in a hundred took no longer
 * @param clientMicros processor time of this process for each increment, in microseconds
 * @param serverMicros processor time of the server's processes for each increment
 */
record Turn(
        GuardContender contender,
        double perSecond,
        double p50Micros,
        double p99Micros,
        double clientMicros,
        double serverMicros) {

    double processorMicros() {
        return clientMicros + serverMicros;
    }
}
