package dev.fbf.spring.filter;

import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.db.OperationStore;
import dev.fbf.db.witness.WitnessStore;
import dev.fbf.spring.transaction.NodeStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Meters of each filter and of each database with a witness, which are removed with those of all modes. */
final class FilterMeters implements MeterBinder {

    private final NodeStatus node;

    FilterMeters(NodeStatus node) {
        this.node = node;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        node.watch(new NodeStatus.Watcher() {
            @Override
            public void openedScope(NodeStatus.OpenScope scope) {
                if (scope instanceof WitnessedScope its) {
                    bind(its.name(), its.witnessed().filter(), registry);
                    bindLostCommits(its, registry);
                }
            }

            @Override
            public void openedDatabase(String name, OperationStore store) {
                if (store instanceof WitnessStore witness) {
                    bind(name, witness, registry);
                }
            }
        });
    }

    private static void bind(String scope, ForgetfulBloomFilter filter, MeterRegistry registry) {
        RecentStats stats = new RecentStats(filter);
        TimeGauge.builder(
                        "fbf.filter.refresh.delay",
                        () -> stats.get().refreshDelay().toMillis(),
                        TimeUnit.MILLISECONDS)
                .description("Delay of the last refresh, or of the next one if that is longer")
                .tag("scope", scope)
                .strongReference(true)
                .register(registry);
        gauge("fbf.filter.fpp.target", FilterStats::targetFpp, stats, scope)
                .description("Stated share of new operations that are false positives")
                .register(registry);
        gauge("fbf.filter.fpp.estimated", FilterStats::estimatedFpp, stats, scope)
                .description("Current share of new operations that are false positives")
                .register(registry);
        gauge("fbf.filter.fill", FilterStats::fill, stats, scope)
                .description("Fraction of set positions in the fullest generation")
                .register(registry);
        gauge("fbf.filter.size", FilterStats::bytes, stats, scope)
                .description("Size of the arenas")
                .baseUnit("bytes")
                .register(registry);
    }

    private static void bindLostCommits(WitnessedScope scope, MeterRegistry registry) {
        Gauge.builder("fbf.lost.commits", scope, its -> its.lostCommits() == null ? 0 : 1)
                .description("1 after the database has lost commits, until an operator accepts the loss")
                .tag("scope", scope.name())
                .strongReference(true)
                .register(registry);
    }

    private static Gauge.Builder<RecentStats> gauge(
            String name, ToDoubleFunction<FilterStats> figure, RecentStats stats, String scope) {
        return Gauge.builder(name, stats, recent -> figure.applyAsDouble(recent.get()))
                .tag("scope", scope)
                .strongReference(true);
    }

    private static void bind(String database, WitnessStore witness, MeterRegistry registry) {
        Gauge.builder("fbf.transactions.in.doubt", witness, its -> its.inDoubt().size())
                .description("Transactions in doubt")
                .tag("database", database)
                .register(registry);
        Timer settle = Timer.builder("fbf.settle")
                .description("Time to determine the outcome of a COMMIT without a response")
                .tag("database", database)
                .register(registry);
        witness.onSettled(settle::record);
    }

    /** Statistics of a filter, reused for a second. Thread-safe. */
    private static final class RecentStats {

        private static final long RECENT = Duration.ofSeconds(1).toNanos();

        private final ForgetfulBloomFilter filter;

        /** The latest statistics; null before the first read, because startup does not wait for them. */
        private volatile @Nullable Look last;

        RecentStats(ForgetfulBloomFilter filter) {
            this.filter = filter;
        }

        FilterStats get() {
            Look recent = last;
            if (recent == null || System.nanoTime() - recent.at >= RECENT) {
                recent = new Look(filter.stats(), System.nanoTime());
                last = recent;
            }
            return recent.stats;
        }

        private record Look(FilterStats stats, long at) {}
    }
}
