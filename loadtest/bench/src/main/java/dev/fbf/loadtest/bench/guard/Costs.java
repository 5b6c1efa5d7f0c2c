package dev.fbf.loadtest.bench.guard;

/**
 * What the server has done since it was started.
 *
 * @param transactions that wrote something
 * @param walBytes of its write-ahead log
 * @param tableBytes size of a contender's tables and their indexes
 */
record Costs(long transactions, long walBytes, long tableBytes) {

    Costs minus(Costs before) {
        return new Costs(
                transactions - before.transactions, walBytes - before.walBytes, tableBytes - before.tableBytes);
    }
}
