package dev.fbf.loadtest.paper.clicks;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.redis.RedisServer;
import dev.fbf.loadtest.harness.redis.RedisServer.Persistence;
import dev.fbf.loadtest.paper.clicks.Race.Entrant;
import dev.fbf.loadtest.paper.clicks.Race.Finish;
import dev.fbf.loadtest.paper.clicks.Sweeps.Point;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The forgetful Bloom filter and its peers at a stream of clicks: the errors, the memory and the time of each. Fails if one that
 * never forgets early by its construction misses a duplicate.
 */
public final class ClickStreams implements Run {

    /** Everything that was measured. */
    record Figures(
            double duplicates,
            double budgetBitsAClick,
            double budgetErrors,
            List<Finish> race,
            List<Point> byMemory,
            double mostLate) {

        List<Finish> oneMemory() {
            return race.stream().filter(Finish::oneMemory).toList();
        }

        List<Finish> oneErrorBudget() {
            return race.stream().filter(finish -> !finish.oneMemory()).toList();
        }

        /** fbf's filter, of which the generations are chosen for the bursts as those of the peers are. */
        static Finish forgetful(List<Finish> finishes) {
            return finishes.stream()
                    .filter(finish -> finish.contender().equals(Peer.FORGETFUL.toString()))
                    .findFirst()
                    .orElseThrow();
        }

        /** The peer with the fewest errors. */
        static Finish mostAccurate(List<Finish> finishes) {
            return bestPeer(
                    finishes,
                    Comparator.comparingDouble(finish -> finish.errors().share()));
        }

        /** The peer that takes the least time. */
        static Finish fastest(List<Finish> finishes) {
            return bestPeer(finishes, Comparator.comparingDouble(Finish::nanosAClick));
        }

        private static Finish bestPeer(List<Finish> finishes, Comparator<Finish> order) {
            return finishes.stream()
                    .filter(finish -> !Peer.isForgetful(finish.contender()))
                    .min(order)
                    .orElseThrow();
        }
    }

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException {
        Map<String, String> servers = new LinkedHashMap<>();
        Figures figures = figures(settings, servers);
        return new Findings(figures, ClicksPage.write(figures, settings), targets(figures), failures(figures), servers);
    }

    private static Figures figures(Settings settings, Map<String, String> servers)
            throws IOException, InterruptedException {
        double bits = settings.positive("bits");
        double errors = settings.share("errors");
        double duplicates = settings.share("duplicates");
        // the memory that a peer needs is found on another stream than the one that it is judged by
        ClickStream small = ClickStream.generate(
                settings.atLeastOne("clicks-swept"),
                settings.atLeastOne("windows"),
                duplicates,
                settings.integer("seed") + 1);
        List<Point> byMemory = settings.list("bits-swept")
                .map(Double::parseDouble)
                .flatMap(swept -> Sweeps.all(small, swept).stream())
                .toList();
        ClickStream stream = ClickStream.generate(
                settings.atLeastOne("clicks"), settings.atLeastOne("windows"), duplicates, settings.integer("seed"));
        List<Entrant> entrants = new ArrayList<>();
        for (Peer peer : Peer.values()) {
            enter(entrants, peer, true, stream, bits);
        }
        long budget = stream.demand().bytes(bits);
        entrants.add(new Entrant(Peer.CAFFEINE, true, CaffeineSet.limited(stream.demand(), budget), stream));
        for (Peer peer : Peer.values()) {
            Sweeps.bitsFor(peer, small, errors).ifPresent(needed -> enter(entrants, peer, false, stream, needed));
        }
        entrants.add(new Entrant(Peer.CAFFEINE, false, CaffeineSet.unlimited(stream.demand()), stream));
        Duration window = settings.seconds("seconds");
        String program = settings.text("redis");
        Optional<RedisServer> limited = start(program, settings.directory().resolve("limited"));
        Optional<RedisServer> unlimited = start(program, settings.directory().resolve("unlimited"));
        try {
            limited.ifPresent(server -> {
                servers.put("redis", server.version());
                entrants.add(new Entrant(Peer.REDIS, true, RedisKeys.limited(server, window, budget), stream));
            });
            unlimited.ifPresent(server ->
                    entrants.add(new Entrant(Peer.REDIS, false, RedisKeys.unlimited(server, window), stream)));
            Race race = new Race(stream, entrants, limited.isPresent() ? window : Duration.ZERO);
            List<Finish> finishes = race.run();
            return new Figures(stream.demand().duplicates(), bits, errors, finishes, byMemory, race.mostLate());
        } finally {
            limited.ifPresent(RedisServer::close);
            unlimited.ifPresent(RedisServer::close);
        }
    }

    private static Optional<RedisServer> start(String program, Path directory)
            throws IOException, InterruptedException {
        return RedisServer.start("paper.clicks.redis", program, directory, 2, Persistence.NONE);
    }

    private static void enter(
            List<Entrant> entrants, Peer peer, boolean oneMemory, ClickStream stream, double bitsAClick) {
        peer.with(stream.demand(), stream.demand().bytes(bitsAClick))
                .ifPresent(contender -> entrants.add(new Entrant(peer.toString(), oneMemory, contender, stream)));
    }

    private static List<Target> targets(Figures figures) {
        List<Finish> finishes = figures.oneMemory();
        Finish forgetful = Figures.forgetful(finishes);
        double fewest = Figures.mostAccurate(finishes).errors().share();
        double errors = forgetful.errors().share();
        return List.of(
                Target.atMost(
                        "one memory budget: errors of fbf over those of the most accurate peer",
                        1,
                        errors == fewest ? 1 : errors / fewest),
                Target.atMost(
                        "one memory budget: time of fbf over that of the fastest peer",
                        1,
                        forgetful.nanosAClick() / Figures.fastest(finishes).nanosAClick()));
    }

    private static List<String> failures(Figures figures) {
        return figures.race().stream()
                .filter(finish -> Peer.forgetsNothingEarly(finish.contender())
                        && finish.errors().missed() > 0)
                .map(finish -> finish.contender() + " has missed "
                        + finish.errors().missed() + " duplicates within its window")
                .toList();
    }
}
