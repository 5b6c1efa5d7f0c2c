package dev.fbf.loadtest.paper.clicks;

import java.util.Optional;
import java.util.stream.Stream;

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
    };

    static final String CAFFEINE = "Caffeine, expiring";
    static final String REDIS = "Redis, expiring keys";

    private final String title;
    private final String shortTitle;

    Peer(String title, String shortTitle) {
        this.title = title;
        this.shortTitle = shortTitle;
    }

    /** Makes one that takes no more than so much memory; empty if it does not work at all with so little. */
    abstract Optional<Contender> with(Demand demand, long bytes);

    /** Whether a contender is fbf's. */
    static boolean isForgetful(String contender) {
        return contender.equals(FORGETFUL.title) || contender.equals(FORGETFUL_STEADY.title);
    }

    /** Whether a contender finds every duplicate of the last window whatever its memory: its errors are clicks lost. */
    static boolean forgetsNothingEarly(String contender) {
        return Stream.of(FORGETFUL, FORGETFUL_STEADY, TWO_GUAVA, BEST_GUAVA)
                .anyMatch(peer -> peer.title.equals(contender));
    }

    String shortTitle() {
        return shortTitle;
    }

    @Override
    public String toString() {
        return title;
    }
}
