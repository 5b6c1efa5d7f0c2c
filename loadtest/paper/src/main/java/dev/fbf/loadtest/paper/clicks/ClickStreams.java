package dev.fbf.loadtest.paper.clicks;

import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The forgetful Bloom filter and its peers at a stream of clicks: the errors, the memory and the time of each. Fails if one that
 * never forgets early by its construction misses a duplicate.
 */
public final class ClickStreams implements Run {

    private static final int ROUNDS = 3;

    /** The exact set has no memory limit. */
    private static final double UNLIMITED = Double.POSITIVE_INFINITY;

    /** Everything that was measured. */
    record Figures(List<Trial> oneMemory, List<Trial> oneErrorBudget, double errors, List<Trial> byMemory) {

        /** Returns the trial of fbf's filter with one memory budget. Its generations are chosen for bursts, as those of the peers are. */
        Trial own() {
            return oneMemory.stream()
                    .filter(trial -> trial.peer() == Peer.FORGETFUL)
                    .findFirst()
                    .orElseThrow();
        }

        /** Returns the peer with the lowest figure, with one memory budget. */
        Trial best(ToDoubleFunction<Trial> figure) {
            return oneMemory.stream()
                    .filter(trial -> !trial.peer().isForgetful())
                    .min(Comparator.comparingDouble(figure))
                    .orElseThrow();
        }
    }

    @Override
    public Findings run(Settings settings) throws IOException {
        int windows = settings.atLeastOne("windows");
        double duplicates = settings.share("duplicates");
        double errors = settings.share("errors");
        // the memory that a peer needs is found on another stream than the one that it is judged by
        ClickStream small = ClickStream.generate(
                settings.atLeastOne("clicks-swept"), windows, duplicates, settings.integer("seed") + 1);
        Set<Peer> filters = EnumSet.complementOf(EnumSet.of(Peer.CAFFEINE));
        List<Trial> byMemory = settings.list("bits-swept")
                .map(Double::parseDouble)
                .flatMap(bits -> filters.stream()
                        .flatMap(peer -> Trial.of(peer, small, bits).stream())
                        .map(trial -> trial.within(bits)))
                .toList();
        Map<Peer, Double> sameMemory = new EnumMap<>(Peer.class);
        Map<Peer, Double> needed = new EnumMap<>(Map.of(Peer.CAFFEINE, UNLIMITED));
        for (Peer peer : Peer.values()) {
            sameMemory.put(peer, settings.positive("bits"));
        }
        for (Peer peer : filters) {
            Trial.bitsFor(peer, small, errors).ifPresent(bits -> needed.put(peer, bits));
        }
        ClickStream stream =
                ClickStream.generate(settings.atLeastOne("clicks"), windows, duplicates, settings.integer("seed"));
        Figures figures = new Figures(race(stream, sameMemory), race(stream, needed), errors, byMemory);
        return new Findings(
                figures, ClicksPage.write(figures, settings), targets(figures), failures(figures), Map.of());
    }

    /** Returns the trial of each peer with the median time. */
    private static List<Trial> race(ClickStream stream, Map<Peer, Double> bits) {
        Map<Peer, List<Trial>> trials = new EnumMap<>(Peer.class);
        for (Peer peer : Rounds.of(ROUNDS, bits.keySet())) {
            System.gc();
            List<Trial> own = trials.computeIfAbsent(peer, none -> new ArrayList<>());
            Trial.of(peer, stream, Objects.requireNonNull(bits.get(peer))).ifPresent(own::add);
        }
        return trials.values().stream()
                .flatMap(own -> own.stream()
                        .sorted(Comparator.comparingDouble(Trial::nanosAClick))
                        .skip(ROUNDS / 2)
                        .limit(1))
                .toList();
    }

    private static List<Target> targets(Figures figures) {
        double fewest = figures.best(Trial::errors).errors();
        double errors = figures.own().errors();
        return List.of(
                Target.atMost(
                        "one memory budget: errors of fbf over those of the most accurate peer",
                        1,
                        errors == fewest ? 1 : errors / fewest),
                Target.atMost(
                        "one memory budget: time of fbf over that of the fastest peer",
                        1,
                        figures.own().nanosAClick()
                                / figures.best(Trial::nanosAClick).nanosAClick()));
    }

    private static List<String> failures(Figures figures) {
        return Stream.of(figures.oneMemory, figures.oneErrorBudget)
                .flatMap(List::stream)
                .filter(trial -> trial.peer().forgetsNothingEarly() && trial.missed() > 0)
                .map(trial -> trial.peer() + " has missed " + trial.missed() + " duplicates within its window")
                .toList();
    }
}
