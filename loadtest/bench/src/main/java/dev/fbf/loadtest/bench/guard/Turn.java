package dev.fbf.loadtest.bench.guard;

/**
 * What a contender did while it was its turn.
 *
 * @param workload what was asked for
 * @param contender who
 * @param perSecond how many requests were answered in a second
 * @param p50Micros half of them took no longer, in microseconds
 * @param p99Micros all but one in a hundred took no longer
 * @param p999Micros all but one in a thousand took no longer
 * @param clientMicros processor time of this process for each request, in microseconds
 * @param serverMicros processor time of PostgreSQL's processes, and of Redis where it is asked, for each request
 * @param transactions that wrote something, for each request
 * @param walBytes of the write-ahead log for each request
 * @param tableBytes by which the tables grew for each request
 */
record Turn(
        Workload workload,
        GuardContender contender,
        double perSecond,
        double p50Micros,
        double p99Micros,
        double p999Micros,
        double clientMicros,
        double serverMicros,
        double transactions,
        double walBytes,
        double tableBytes) {

    double processorMicros() {
        return clientMicros + serverMicros;
    }
}
