package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.Target.Bound;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Ratios between contenders, with the wanted bound of each. A comparison with a contender that took no part is left out. */
final class Targets {

    /** Syncs of the disk, in microseconds: at most the first, a hot row's {@code UPDATE} waits little; from the second on, much. */
    private static final double FAST_SYNC = 100;

    private static final double SLOW_SYNC = 200;

    /** Workload and contender, over contender, figure, bound. */
    private static final String ALL = """
            IDLE FILTER UPDATE p50Micros <=1.25
            IDLE FILTER PLAIN p50Micros <=1.15
            IDLE COUNTERS UPDATE p50Micros <=1.3
            HOT COUNTERS UPDATE perSecond sync
            HOT COUNTERS_LEDGER UPDATE perSecond >=6
            HOT COUNTERS_LEDGER COUNTERS perSecond >=0.7
            HOT FILTER KEY_INSERT perSecond >=1.05
            HOT COUNTERS UPDATE p50Micros <=0.3
            HOT COUNTERS GROUPED_UPSERT serverMicros <=1.4
            HOT COUNTERS_LEDGER GROUPED_UPSERT serverMicros <=3
            ROWS FILTER PLAIN perSecond >=0.85
            ROWS LEDGER KEY_INSERT perSecond >=1.1
            ROWS LEDGER_SQL_ONLY KEY_INSERT perSecond >=1
            ROWS COUNTERS UPDATE perSecond >=1.8
            ROWS COUNTERS_LEDGER UPDATE perSecond >=1.3
            ROWS COUNTERS_LEDGER COUNTERS perSecond >=0.8
            ROWS COUNTERS GROUPED_UPSERT serverMicros <=1.15
            ROWS COUNTERS_LEDGER GROUPED_UPSERT serverMicros <=1.6
            ROWS FILTER_HOST FILTER perSecond >=0.8
            ROWS COUNTERS_HOST COUNTERS perSecond >=0.8
            HOT_STORM FILTER KEY_INSERT perSecond >=5
            ROWS_STORM FILTER KEY_INSERT perSecond >=5
            ZIPF_STORM FILTER KEY_INSERT perSecond >=5
            """;

    private static final Map<String, String> NAMES =
            Map.of("perSecond", "requests/s", "p50Micros", "p50", "serverMicros", "server's processor time");

    private Targets() {}

    /** @param syncMicros time of a sync of the disk, in microseconds */
    static List<Target> of(List<Turn> turns, double syncMicros) {
        List<Target> targets = new ArrayList<>();
        for (String line : ALL.lines().toList()) {
            String[] words = line.split(" ", -1);
            List<Double> one = figures(words[0] + ":" + words[1], words[3], turns);
            List<Double> other = figures(words[0] + ":" + words[2], words[3], turns);
            if (!one.isEmpty() && !other.isEmpty()) {
                String figure = Objects.requireNonNull(NAMES.get(words[3]));
                targets.add(Target.of(
                        format("%s: %s over %s, %s", words[0], words[1], words[2], figure),
                        bound(words[4], syncMicros),
                        Rounds.median(one) / Rounds.median(other)));
            }
        }
        return targets;
    }

    private static List<Double> figures(String workloadAndContender, String figure, List<Turn> turns) {
        return turns.stream()
                .filter(turn -> workloadAndContender.equals(turn.series() + ":" + turn.contender()))
                .map(turn -> turn.get(figure))
                .toList();
    }

    private static Bound bound(String text, double syncMicros) {
        return switch (text.charAt(0)) {
            case '>' -> Bound.atLeast(Double.parseDouble(text.substring(2)));
            case '<' -> Bound.atMost(Double.parseDouble(text.substring(2)));
            default -> Bound.atLeast(ofHotRow(syncMicros));
        };
    }

    /** The bound of {@code COUNTERS} over {@code UPDATE}: 10 where a sync takes 0.1 ms at most, 12 from 0.2 ms on. */
    static double ofHotRow(double syncMicros) {
        double share = (syncMicros - FAST_SYNC) / (SLOW_SYNC - FAST_SYNC);
        return 10 + 2 * Math.max(0, Math.min(1, share));
    }
}
