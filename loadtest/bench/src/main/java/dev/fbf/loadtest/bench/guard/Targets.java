package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Summary;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Target.Bound;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ratios between contenders, with the wanted bound of each. A comparison with a contender that took no part is left out. */
final class Targets {

    /** Syncs of the disk, in microseconds: at most the first, a hot row's {@code UPDATE} waits little; from the second on, much. */
    private static final double FAST_SYNC = 100;

    private static final double SLOW_SYNC = 200;

    /** Workload and contender, over contender (of another workload), figure, bound: {@code ?} if there is none. */
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
            HOT COUNTERS GROUPED_UPSERT perSecond ?
            HOT COUNTERS REDIS_LUA_ALWAYS perSecond ?
            HOT FILTER PENDING_ROW perSecond ?
            ROWS FILTER PLAIN perSecond >=0.85
            ROWS LEDGER KEY_INSERT perSecond >=1.1
            ROWS LEDGER_SQL_ONLY KEY_INSERT perSecond >=1
            ROWS COUNTERS UPDATE perSecond >=1.8
            ROWS COUNTERS_LEDGER UPDATE perSecond >=1.3
            ROWS COUNTERS_LEDGER COUNTERS perSecond >=0.8
            ROWS COUNTERS GROUPED_UPSERT serverMicros <=1.15
            ROWS COUNTERS_LEDGER GROUPED_UPSERT serverMicros <=1.6
            ROWS COUNTERS GROUPED_UPSERT perSecond ?
            ROWS COUNTERS REDIS_LUA_ALWAYS perSecond ?
            ROWS FILTER PENDING_ROW perSecond ?
            ROWS FILTER_HOST FILTER perSecond >=0.8
            ROWS COUNTERS_HOST COUNTERS perSecond >=0.8
            HOT_STORM FILTER KEY_INSERT perSecond >=5
            HOT_STORM COUNTERS KEY_INSERT perSecond ?
            HOT_STORM FILTER PENDING_ROW perSecond ?
            ROWS_STORM FILTER KEY_INSERT perSecond >=5
            ROWS_STORM COUNTERS KEY_INSERT perSecond ?
            ROWS_STORM FILTER PENDING_ROW perSecond ?
            ZIPF_STORM FILTER KEY_INSERT perSecond >=5
            ZIPF_STORM COUNTERS KEY_INSERT perSecond ?
            ZIPF_STORM FILTER PENDING_ROW perSecond ?
            HOT_RETRIES COUNTERS UPDATE perSecond ?
            HOT_RETRIES COUNTERS_LEDGER UPDATE perSecond ?
            ROWS_RETRIES COUNTERS UPDATE perSecond ?
            ROWS_RETRIES COUNTERS_LEDGER UPDATE perSecond ?
            ZIPF COUNTERS UPDATE perSecond ?
            ZIPF COUNTERS_LEDGER UPDATE perSecond ?
            ZIPF_RETRIES COUNTERS UPDATE perSecond ?
            ZIPF_RETRIES COUNTERS_LEDGER UPDATE perSecond ?
            LOCKED_ROW COUNTERS ROWS:COUNTERS perSecond >=0.9
            LOCKED_ROW COUNTERS_LEDGER ROWS:COUNTERS_LEDGER perSecond >=0.9
            UNKNOWN_NAMES COUNTERS ROWS:COUNTERS perSecond >=0.8
            UNKNOWN_NAMES COUNTERS_LEDGER ROWS:COUNTERS_LEDGER perSecond >=0.8
            OWN_TRANSACTIONS COUNTERS UPDATE perSecond >=0.8
            OWN_TRANSACTIONS COUNTERS_LEDGER UPDATE perSecond >=0.8
            """;

    private static final Map<String, String> NAMES =
            Map.of("perSecond", "requests/s", "p50Micros", "p50", "serverMicros", "server's processor time");

    private Targets() {}

    /**
     * One contender over another.
     *
     * @param lowest of the ratios of single rounds
     * @param highest of the ratios of single rounds
     * @param wanted bound of the ratio of the medians; null if there is none
     * @param processor the ratio of the medians of their processor time per request
     */
    record Ratio(
            String name,
            double ofMedians,
            double lowest,
            double highest,
            @Nullable Bound wanted,
            double processor) {

        private static Ratio of(String name, String figure, @Nullable Bound wanted, List<Turn> one, List<Turn> other) {
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < one.size(); round++) {
                ratios.add(one.get(round).get(figure) / other.get(round).get(figure));
            }
            return new Ratio(
                    name + ", " + NAMES.get(figure),
                    Rounds.median(Summary.column(one, figure)) / Rounds.median(Summary.column(other, figure)),
                    Collections.min(ratios),
                    Collections.max(ratios),
                    wanted,
                    processor(one) / processor(other));
        }

        private static double processor(List<Turn> turns) {
            return Rounds.median(turns.stream()
                    .map(turn -> turn.get("clientMicros") + turn.get("serverMicros"))
                    .toList());
        }
    }

    /** @param syncMicros time of a sync of the disk, in microseconds */
    static List<Ratio> of(Workload workload, List<Turn> turns, double syncMicros) {
        List<Ratio> ratios = new ArrayList<>();
        for (String line : ALL.lines().toList()) {
            String[] words = line.split(" ", -1);
            String over = words[2].contains(":") ? words[2] : words[0] + ":" + words[2];
            List<Turn> one = turnsOf(words[0] + ":" + words[1], turns);
            List<Turn> other = turnsOf(over, turns);
            if (words[0].equals(workload.name()) && !one.isEmpty() && !other.isEmpty()) {
                String name = words[1] + " over " + words[2].replace(":", " ");
                ratios.add(Ratio.of(name, words[3], bound(words[4], syncMicros), one, other));
            }
        }
        return ratios;
    }

    private static List<Turn> turnsOf(String workloadAndContender, List<Turn> turns) {
        return turns.stream()
                .filter(turn -> workloadAndContender.equals(turn.series() + ":" + turn.contender()))
                .toList();
    }

    private static @Nullable Bound bound(String text, double syncMicros) {
        return switch (text.charAt(0)) {
            case 's' -> Bound.atLeast(ofHotRow(syncMicros));
            case '>' -> Bound.atLeast(Double.parseDouble(text.substring(2)));
            case '<' -> Bound.atMost(Double.parseDouble(text.substring(2)));
            default -> null;
        };
    }

    /** The bound of {@code COUNTERS} over {@code UPDATE}: 10 where a sync takes 0.1 ms at most, 12 from 0.2 ms on. */
    static double ofHotRow(double syncMicros) {
        double share = (syncMicros - FAST_SYNC) / (SLOW_SYNC - FAST_SYNC);
        return 10 + 2 * Math.max(0, Math.min(1, share));
    }
}
