package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.paper.PaperOnCassandra.Cell;
import dev.fbf.loadtest.paper.PaperOnCassandra.Figures;
import dev.fbf.loadtest.paper.PaperOnCassandra.Sample;

/** The page docs/research/cassandra.md. */
final class CassandraPage {

    private CassandraPage() {}

    static String of(Figures figures, Settings settings, Table<Cell> cells) {
        Sample last = figures.figure14().get(figures.figure14().size() - 1);
        double errorOfColumn = (double) last.column() / last.expectedOfColumn() - 1;
        double error = (double) last.exact() / last.expected() - 1;
        double slower = figures.figure15().exact() / figures.figure15().column() - 1;
        double largest = figures.figure17().stream()
                .mapToDouble(Cell::errorOfColumn)
                .max()
                .orElse(0);
        boolean allExact = figures.figure17().stream().allMatch(cell -> cell.error() == 0);
        return format(
                """
                # The paper's experiments on Cassandra

                Sections V-D, VI-D and VI-F of the paper put a forgetful Bloom filter into Cassandra's counters. Here the same experiments run on \
                Cassandra 5 with three nodes and a replication factor of 3, each node in a JVM of its own on one machine. *Cassandra's own* is its \
                counter column, updated with `QUORUM`; *fbf's* is a [counter in a lane](../cassandra.md). A client sends each operation again until it \
                knows that it was applied. `mvn -Ppaper verify` repeats them and writes this page.

                ## Figure 14: value over time

                %s operations a second for %s seconds; %.0f %% of them are sent once more. In the second third one node is dead: it is killed with SIGKILL \
                and started again. (The paper: 10 nodes of a simulated store, error without the filter 6 %%, with it 0 %%.)

                **%s.** In the end Cassandra's own counter is wrong by %+.1f %%, fbf's by %.1f %%.

                ![Value of a counter over time](figure-14.png)

                Data: [figure-14.csv](figure-14.csv)

                ## Figure 15: latency of batches of 50

                50 increments at the same time, in turns, until the last response. (The paper: 10 %% slower with the filter, about 2 ms.)

                **%s.** fbf's counter takes %.1f ms, Cassandra's own %.1f ms (medians): %s.

                ## Figure 17: error by loss and delay

                Each connection between the driver and a node goes through a proxy that loses responses, with their connections, and delays each chunk at random \
                (exponential, with the mean below). (The paper: 500 operations, average error without the filter 5 %%, with it 0 %%.)

                **%s.** The largest error of Cassandra's own counter is %+.1f %%.

                %s
                Data: [figure-17.csv](figure-17.csv)
                """,
                settings.text("rate"),
                settings.text("seconds"),
                100 * settings.share("retries"),
                verdict(error == 0 && errorOfColumn > 0),
                100 * errorOfColumn,
                100 * error,
                verdict(slower <= 0.1),
                figures.figure15().exact(),
                figures.figure15().column(),
                slower <= 0 ? format("%.0f %% less", -100 * slower) : format("%.0f %% more", 100 * slower),
                verdict(allExact && largest > 0),
                100 * largest,
                cells.markdown());
    }

    private static String verdict(boolean holds) {
        return holds ? "Holds" : "Does not hold";
    }
}
