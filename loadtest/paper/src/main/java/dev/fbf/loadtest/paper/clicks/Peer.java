package dev.fbf.loadtest.paper.clicks;

import java.util.Optional;

/** The structures whose memory can be chosen freely. Each makes the best of it by its own model, which knows the
 * stream's load over time. */
enum Peer {
    FORGETFUL("forgetful Bloom filter, N for the bursts", "fbf, N for bursts") {
        @Override
        Optional<Contender> with(Demand demand, long bytes) {
            return ForgetfulFilter.forBursts(demand, bytes).map(ForgetfulFilter::new);
        }
    },
    FORGETFUL_STEADY("forgetful Bloom filter, by its planner", "fbf") {
        @Override
        Optional<Contender> with(Demand demand, long bytes) {
            return ForgetfulFilter.steady(demand, bytes).map(ForgetfulFilter::new);
        }
    },
    TWO_GUAVA("2 rotating Guava filters", "Guava, 2") {
        @Override
        Optional<Contender> with(Demand demand, long bytes) {
            return Optional.of(new GuavaFilters(demand, bytes, 2));
        }
    },
    BEST_GUAVA("rotating Guava filters, the best number", "Guava, best") {
        @Override
        Optional<Contender> with(Demand demand, long bytes) {
            return Optional.of(new GuavaFilters(demand, bytes, GuavaFilters.bestCount(demand, bytes)));
        }
    },
    CUCKOO_EPOCHS("cuckoo filter, deletes by epoch", "cuckoo, epochs") {
        @Override
        Optional<Contender> with(Demand demand, long bytes) {
            return Optional.of(new CuckooEpochs(CuckooEpochs.best(demand, bytes)));
        }
    },
    CAFFEINE("Caffeine, expiring", "Caffeine") {
        @Override
        Optional<Contender> with(Demand demand, long bytes) {
            return Optional.of(
                    bytes == Long.MAX_VALUE ? CaffeineSet.unlimited(demand) : CaffeineSet.limited(demand, bytes));
        }
    };

    private final String title;
    private final String shortTitle;

    Peer(String title, String shortTitle) {
        this.title = title;
        this.shortTitle = shortTitle;
    }

    /** Makes one that takes no more than so much memory; empty if it does not work at all with so little. */
    abstract Optional<Contender> with(Demand demand, long bytes);

    boolean isForgetful() {
        return this == FORGETFUL || this == FORGETFUL_STEADY;
    }

    /** Whether it finds every duplicate of the last window whatever its memory: its errors are clicks lost. */
    boolean forgetsNothingEarly() {
        return isForgetful() || this == TWO_GUAVA || this == BEST_GUAVA;
    }

    String shortTitle() {
        return shortTitle;
    }

    @Override
    public String toString() {
        return title;
    }
}
