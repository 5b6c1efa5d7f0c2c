package dev.fbf.loadtest.bench.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CassandraReportTest {

    private final List<Turn> turns = new ArrayList<>();

    @Test
    void comparesTheMediansOfEachWorkload() {
        turn(1, 1, Contender.COLUMN, 400, 2);
        turn(1, 1, Contender.CONDITIONAL, 300, 4);
        turn(1, 1, Contender.LANE, 290, 5);
        for (double perSecond : new double[] {900, 1_000, 5_000}) {
            turn(64, 1, Contender.COLUMN, perSecond, 2);
            turn(64, 1, Contender.LANE, 7 * perSecond, 2);
            turn(64, 1, Contender.LANE_OF_TWO, 2 * perSecond, 2);
        }

        CassandraReport report = CassandraReport.of(turns, 1_000, 0.5, 17);

        assertThat(report.targets())
                .containsExactly(
                        Target.atLeast("64 clients, 1 counter: LANE over COLUMN, increments/s", 7, 7),
                        Target.atLeast("64 clients, 1 counter: LANE_OF_TWO over COLUMN, increments/s", 3, 2),
                        Target.atMost(
                                "64 clients, 1 counter: LANE_OF_TWO, p99 of the slowest node over the fastest's", 3, 3),
                        Target.atMost("1 client: LANE over CONDITIONAL, p50", 1.2, 1.25),
                        Target.atMost("rebuild from 1000 operations, s", 2, 0.5),
                        Target.atMost("bytes in Cassandra for an operation, 16 together", 40, 17));
        assertThat(report.table()).containsPattern("64 clients, 1 counter +LANE .*7,000\\.00 .*7\\.00");
    }

    private void turn(int clients, int counters, Contender contender, double perSecond, double p50Millis) {
        String label = new CassandraBench.Workload(clients, counters).toString();
        Map<String, Double> figures = Map.of(
                "clients",
                (double) clients,
                "counters",
                (double) counters,
                "perSecond",
                perSecond,
                "p50Millis",
                p50Millis,
                "p99Millis",
                9.0,
                "unfairness",
                3.0);
        turns.add(new Turn("", label, contender, figures));
    }
}
