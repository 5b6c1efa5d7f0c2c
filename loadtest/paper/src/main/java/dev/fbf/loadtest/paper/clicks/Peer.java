package dev.fbf.loadtest.paper.clicks;

import java.util.Optional;

/** The structures whose memory can be chosen freely. Each makes the best of it by its own model, which knows the
 * stream's load over time. */
enum Peer {
    FORGETFUL("forgetful Bloom filter, N for the bursts", "fbf, N for bursts"),
    FORGETFUL_STEADY("forgetful Bloom filter, by its planner", "fbf"),
    TWO_GUAVA("2 rotating Guava filters", "Guava, 2"),
    BEST_GUAVA("rotating Guava filters, the best number", "Guava, best"),
    CUCKOO_EPOCHS("cuckoo filter, deletes by epoch", "cuckoo, epochs"),
    CAFFEINE("Caffeine, expiring", "Caffeine");

    private final String title;
    private final String shortTitle;

    Peer(String title, String shortTitle) {
        this.title = title;
        this.shortTitle = shortTitle;
    }

    /** Makes one that takes no more than so much memory; empty if it does not work at all with so little. */
    Optional<Contender> with(Demand demand, long bytes) {
        return switch (this) {
            case FORGETFUL -> ForgetfulFilter.forBursts(demand, bytes).map(ForgetfulFilter::new);
            case FORGETFUL_STEADY -> ForgetfulFilter.steady(demand, bytes).map(ForgetfulFilter::new);
            case TWO_GUAVA -> Optional.of(new GuavaFilters(demand, bytes, 2));
            case BEST_GUAVA -> Optional.of(new GuavaFilters(demand, bytes, GuavaFilters.bestCount(demand, bytes)));
            case CUCKOO_EPOCHS -> Optional.of(new CuckooEpochs(CuckooEpochs.best(demand, bytes)));
            case CAFFEINE ->
                Optional.of(
                        bytes == Long.MAX_VALUE ? CaffeineSet.unlimited(demand) : CaffeineSet.limited(demand, bytes));
        };
    }

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
