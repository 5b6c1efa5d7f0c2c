package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.bench.guard.GuardContender.COUNTERS;
import static dev.fbf.loadtest.bench.guard.GuardContender.COUNTERS_LEDGER;
import static dev.fbf.loadtest.bench.guard.GuardContender.GROUPED_UPSERT;
import static dev.fbf.loadtest.bench.guard.GuardContender.KEY_INSERT;
import static dev.fbf.loadtest.bench.guard.GuardContender.UPDATE;
import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.bench.guard.CurveTurns.Cell;
import dev.fbf.loadtest.bench.guard.CurveTurns.Stage;
import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SynchronousPair;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Measures how the cost of an increment grows: with clients, rows, the filter's size, the window, nodes, and a slower database. */
public final class CurvesBench implements Run {

    private static final List<GuardContender> CONTENDERS = List.of(UPDATE, GROUPED_UPSERT, COUNTERS, COUNTERS_LEDGER);
    private static final List<GuardContender> OF_SLOWER_DATABASES =
            List.of(UPDATE, KEY_INSERT, COUNTERS, COUNTERS_LEDGER);
    private static final int ROWS = 1_000;
    private static final long MEBIBYTE = 1 << 20;

    /** The first JDK with virtual threads. */
    private static final int VIRTUAL = 21;

    /** More than there are, so that no filter of a given size has more operations than it is for. */
    private static final double OPERATIONS_PER_SECOND = 100_000;

    /** A filter's file is written whole, and the machine is to have room for the database beside it. */
    private static final int PART_OF_DISK = 3;

    @Override
    public Findings run(Settings settings) throws Exception {
        Directories.delete(settings.directory());
        CurveTurns turns = new CurveTurns(settings, Runtime.version().feature() >= VIRTUAL);
        List<Dimension> dimensions = settings.constants("curves", Dimension.class);
        Map<String, String> servers = onOneDatabase(turns, dimensions);
        if (dimensions.contains(Dimension.DATABASES)) {
            onSlowerDatabases(turns);
        }
        CurvesReport report = CurvesReport.of(turns.virtual() ? "virtual" : "platform", turns.done(), turns.notes());
        CurvePlots.write(report, settings.results());
        return new Findings(report, report.table(), List.of(), turns.failures(), servers);
    }

    private static Map<String, String> onOneDatabase(CurveTurns turns, List<Dimension> dimensions) throws Exception {
        Settings settings = turns.settings();
        int threads = settings.atLeastOne("threads");
        List<Integer> clients = integers(settings, "clients");
        List<Integer> rows = integers(settings, "rows");
        List<Integer> nodes = integers(settings, "nodes");
        int mostClients = Math.max(most(clients), threads * most(nodes));
        int mostRows = Math.max(most(rows), ROWS);
        try (BenchDatabase database =
                        BenchDatabase.start(settings.postgres(), settings.directory(), threads, mostRows, CONTENDERS);
                Crowd crowd = new Crowd(database, RedisServers.NONE, mostClients, turns.virtual(), mostRows)) {
            Stage stage = new Stage(database, crowd, new UniformLoad(threads, ROWS));
            Map<GuardContender, List<Increments>> applications =
                    applications(database, CONTENDERS, settings.directory());
            database.stopAutovacuum();
            turns.warmUp(stage, applications);
            if (dimensions.contains(Dimension.CLIENTS)) {
                turns.take(stage, Dimension.CLIENTS, cells(applications, clients, x -> new UniformLoad(x, 1)));
            }
            if (dimensions.contains(Dimension.ROWS)) {
                turns.take(stage, Dimension.ROWS, cells(applications, rows, x -> new UniformLoad(threads, x)));
            }
            database.stopApplications();
            if (dimensions.contains(Dimension.FILTERS)) {
                filters(turns, stage);
            }
            if (dimensions.contains(Dimension.WINDOWS)) {
                windows(turns, stage);
            }
            if (dimensions.contains(Dimension.NODES)) {
                nodes(turns, stage, nodes, threads);
            }
            turns.check(stage, CONTENDERS);
            return database.servers(RedisServers.NONE);
        }
    }

    private static Map<GuardContender, List<Increments>> applications(
            BenchDatabase database, List<GuardContender> contenders, Path directory) {
        Map<GuardContender, List<Increments>> applications = new EnumMap<>(GuardContender.class);
        for (GuardContender contender : contenders) {
            applications.put(
                    contender, List.of(database.application(contender, RedisServers.NONE, directory, Map.of())));
        }
        return applications;
    }

    /** Makes the load of a point. */
    private interface Loads {
        Crowd.Load of(int x);
    }

    private static List<Cell> cells(Map<GuardContender, List<Increments>> applications, List<Integer> xs, Loads loads) {
        List<Cell> cells = new ArrayList<>();
        for (int x : xs) {
            applications.forEach(
                    (contender, nodes) -> cells.add(new Cell(x, format("%,d", x), contender, loads.of(x), nodes)));
        }
        return cells;
    }

    /** One filter after the other, of which each is deleted before the next. */
    private static void filters(CurveTurns turns, Stage stage) throws Exception {
        for (int mebibytes : integers(turns.settings(), "filterMebibytes")) {
            long usable = Files.getFileStore(turns.settings().directory()).getUsableSpace();
            if (mebibytes * MEBIBYTE > usable / PART_OF_DISK) {
                String left = format("%,d MiB are left out: the disk has %,d MiB left.", mebibytes, usable / MEBIBYTE);
                turns.note(Dimension.FILTERS, left);
                continue;
            }
            FilterSizing sizing = FilterDemand.ofRate(OPERATIONS_PER_SECOND, mebibytes * MEBIBYTE);
            takeAlone(turns, stage, Dimension.FILTERS, mebibytes, format("%,d", mebibytes), COUNTERS, sizing);
        }
    }

    private static void windows(CurveTurns turns, Stage stage) throws Exception {
        long bytes = turns.settings().atLeastOne("windowMebibytes") * MEBIBYTE;
        for (int seconds : integers(turns.settings(), "windowSeconds")) {
            Duration window = Duration.ofSeconds(seconds);
            FilterSizing sizing = FilterDemand.ofWindow(window, bytes);
            for (GuardContender contender : List.of(COUNTERS, COUNTERS_LEDGER)) {
                takeAlone(turns, stage, Dimension.WINDOWS, seconds, words(window), contender, sizing);
            }
        }
    }

    private static void takeAlone(
            CurveTurns turns,
            Stage stage,
            Dimension dimension,
            double x,
            String label,
            GuardContender contender,
            FilterSizing sizing)
            throws Exception {
        Path directory = turns.settings().directory().resolve("alone");
        Increments increments =
                stage.database().application(contender, RedisServers.NONE, directory, FilterDemand.properties(sizing));
        try {
            turns.take(stage, dimension, List.of(new Cell(x, label, contender, stage.load(), List.of(increments))));
        } finally {
            stage.database().stopApplications();
            Directories.delete(directory);
        }
    }

    private static String words(Duration window) {
        if (window.toDays() > 0) {
            return window.toDays() + " d";
        }
        if (window.toHours() > 0) {
            return window.toHours() + " h";
        }
        return window.toMinutes() > 0 ? window.toMinutes() + " min" : window.toSeconds() + " s";
    }

    private static void nodes(CurveTurns turns, Stage stage, List<Integer> counts, int threads) throws Exception {
        List<Increments> all = new ArrayList<>();
        for (int node = 0; node < most(counts); node++) {
            Path directory = turns.settings().directory().resolve("node-" + node);
            all.add(stage.database().application(COUNTERS_LEDGER, RedisServers.NONE, directory, Map.of()));
        }
        turns.warmUp(stage, Map.of(COUNTERS_LEDGER, all));
        List<Cell> cells = new ArrayList<>();
        for (int count : counts) {
            Crowd.Load load = new UniformLoad(threads * count, ROWS);
            cells.add(new Cell(count, Integer.toString(count), COUNTERS_LEDGER, load, all.subList(0, count)));
        }
        turns.take(stage, Dimension.NODES, cells);
        stage.database().stopApplications();
    }

    private static void onSlowerDatabases(CurveTurns turns) throws Exception {
        Settings settings = turns.settings();
        Path home = settings.postgres();
        Path directory = settings.directory();
        int threads = settings.atLeastOne("threads");
        try (BenchDatabase database = BenchDatabase.start(home, directory, threads, 1, OF_SLOWER_DATABASES)) {
            onDatabase(turns, database, List.of(new Situation(1, "as it is", () -> {})));
        }
        try (SynchronousPair pair = SynchronousPair.start(home, directory.resolve("pair"));
                BenchDatabase database =
                        BenchDatabase.on(pair.primary(), pair.primary().url(), threads, 1, OF_SLOWER_DATABASES)) {
            onDatabase(turns, database, List.of(new Situation(2, "with a synchronous standby", () -> {})));
        }
        PostgresServer server = PostgresServer.startNew(home, directory.resolve("postgres"));
        Duration each = Duration.ofNanos(settings.atLeastOne("addedMicros") * 1_000L / 2);
        try (TcpProxy proxy = TcpProxy.open("curves", List.of(server.port()), () -> Relay.PLAIN);
                BenchDatabase database =
                        BenchDatabase.on(server, PostgresServer.url(proxy.port()), threads, 1, OF_SLOWER_DATABASES)) {
            onDatabase(
                    turns,
                    database,
                    List.of(
                            new Situation(3, "through a proxy", proxy::heal),
                            new Situation(
                                    4,
                                    format("through it, %.1f ms more", each.toNanos() * 2 / 1e6),
                                    () -> proxy.delayEachChunk(each))));
        }
    }

    /** A state of the database, which is begun before it is measured. */
    private record Situation(int number, String name, Runnable begin) {}

    private static void onDatabase(CurveTurns turns, BenchDatabase database, List<Situation> situations)
            throws Exception {
        int threads = turns.settings().atLeastOne("threads");
        try (Crowd crowd = new Crowd(database, RedisServers.NONE, threads, turns.virtual(), 1)) {
            Stage stage = new Stage(database, crowd, new UniformLoad(threads, 1));
            Path directory = turns.settings().directory().resolve("slower-" + situations.get(0).number);
            Map<GuardContender, List<Increments>> applications = applications(database, OF_SLOWER_DATABASES, directory);
            database.stopAutovacuum();
            for (Situation situation : situations) {
                situation.begin.run();
                turns.note(
                        Dimension.DATABASES,
                        format(
                                "A SELECT takes %.0f µs %s.",
                                Rounds.median(database.roundTripsMicros()), situation.name));
                List<Cell> cells = OF_SLOWER_DATABASES.stream()
                        .map(contender -> new Cell(
                                situation.number,
                                situation.name,
                                contender,
                                stage.load(),
                                Objects.requireNonNull(applications.get(contender))))
                        .toList();
                turns.take(stage, Dimension.DATABASES, cells);
            }
            database.stopApplications();
            turns.check(stage, OF_SLOWER_DATABASES);
        }
    }

    private static List<Integer> integers(Settings settings, String name) {
        return settings.list(name).map(Integer::valueOf).toList();
    }

    private static int most(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).max().orElse(1);
    }
}
