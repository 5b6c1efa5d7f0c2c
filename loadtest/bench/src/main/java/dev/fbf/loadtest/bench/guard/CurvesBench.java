package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.bench.guard.GuardContender.COUNTERS;
import static dev.fbf.loadtest.bench.guard.GuardContender.COUNTERS_LEDGER;
import static dev.fbf.loadtest.bench.guard.GuardContender.GROUPED_UPSERT;
import static dev.fbf.loadtest.bench.guard.GuardContender.KEY_INSERT;
import static dev.fbf.loadtest.bench.guard.GuardContender.UPDATE;
import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.core.DurationText;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.bench.guard.CurvesReport.Dimension;
import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SynchronousPair;
import dev.fbf.loadtest.harness.process.Directories;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

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

    private final List<Turn> turns = new ArrayList<>();
    private final Map<Dimension, List<String>> notes = new EnumMap<>(Dimension.class);
    private final List<String> failures = new ArrayList<>();
    private final boolean virtual = Runtime.version().feature() >= VIRTUAL;

    /** A database, and its clients with the load that they have where nothing else is said. */
    private record Stage(Settings settings, BenchDatabase database, Crowd crowd, Crowd.Load load) {}

    /** Operations on the first counters, all alike, without retries. */
    private record UniformLoad(int clients, int rows) implements Crowd.Load {

        @Override
        public int clients(int all) {
            return Math.min(all, clients);
        }

        @Override
        public int counter(RandomGenerator random) {
            return random.nextInt(rows);
        }

        @Override
        public double retries() {
            return 0;
        }
    }

    /** A contender at a point: it has a turn in each round. */
    private record Cell(double x, String label, GuardContender contender, Crowd.Load load, List<Increments> nodes) {}

    @Override
    public Findings run(Settings settings) throws Exception {
        Directories.delete(settings.directory());
        List<Dimension> dimensions = settings.constants("curves", Dimension.class);
        Map<String, String> servers = onOneDatabase(settings, dimensions);
        if (dimensions.contains(Dimension.DATABASES)) {
            onSlowerDatabases(settings);
        }
        CurvesReport report = CurvesReport.of(virtual ? "virtual" : "platform", turns, notes);
        Plots.draw(report, settings.results());
        return new Findings(report, report.table(), List.of(), failures, servers);
    }

    private void note(Dimension dimension, String note) {
        notes.computeIfAbsent(dimension, none -> new ArrayList<>()).add(note);
    }

    /** In turn, round by round: what else the machine does meets all of them alike. */
    private void take(Stage stage, Dimension dimension, List<Cell> cells) throws Exception {
        for (Cell cell : Rounds.of(stage.settings.atLeastOne("rounds"), cells)) {
            stage.database.vacuum(cell.contender);
            stage.database.checkpoint();
            stage.crowd.measure(cell.load, cell.contender, cell.nodes, stage.settings.millis("leadInMillis"));
            Map<String, Double> figures =
                    stage.crowd.measure(cell.load, cell.contender, cell.nodes, stage.settings.millis("millis"));
            figures.put("x", cell.x);
            turns.add(new Turn(dimension.name(), cell.label, cell.contender, figures));
            System.out.println(turns.get(turns.size() - 1));
        }
    }

    private static void warmUp(Stage stage, Map<GuardContender, List<Increments>> applications) throws Exception {
        for (Map.Entry<GuardContender, List<Increments>> one : applications.entrySet()) {
            stage.crowd.measure(stage.load, one.getKey(), one.getValue(), stage.settings.millis("warmUpMillis"));
        }
    }

    /** Compares each guarded counter with the responses to its clients. */
    private void check(Stage stage, List<GuardContender> contenders) throws SQLException {
        for (GuardContender contender : contenders) {
            double wrong = stage.crowd.accuracy(contender).getOrDefault("wrongCounters", 0.0);
            if (contender.isGuarded() && wrong > 0) {
                failures.add(format("%s: %.0f counters are not what its clients were told", contender, wrong));
            }
        }
    }

    private Map<String, String> onOneDatabase(Settings settings, List<Dimension> dimensions) throws Exception {
        int threads = settings.atLeastOne("threads");
        List<Integer> clients = integers(settings, "clients");
        List<Integer> rows = integers(settings, "rows");
        List<Integer> nodes = integers(settings, "nodes");
        int mostClients = Math.max(most(clients), threads * most(nodes));
        int mostRows = Math.max(most(rows), ROWS);
        try (BenchDatabase database = BenchDatabase.start(
                        settings.postgres(), settings.directory(), threads, mostRows, CONTENDERS, "");
                Crowd crowd = new Crowd(database, mostClients, virtual, mostRows)) {
            Stage stage = new Stage(settings, database, crowd, new UniformLoad(threads, ROWS));
            Map<GuardContender, List<Increments>> applications =
                    applications(database, CONTENDERS, settings.directory());
            database.stopAutovacuum();
            warmUp(stage, applications);
            if (dimensions.contains(Dimension.CLIENTS)) {
                take(stage, Dimension.CLIENTS, cells(applications, clients, x -> new UniformLoad(x, 1)));
            }
            if (dimensions.contains(Dimension.ROWS)) {
                take(stage, Dimension.ROWS, cells(applications, rows, x -> new UniformLoad(threads, x)));
            }
            database.stopApplications();
            if (dimensions.contains(Dimension.FILTERS)) {
                filters(stage);
            }
            if (dimensions.contains(Dimension.WINDOWS)) {
                windows(stage);
            }
            if (dimensions.contains(Dimension.NODES)) {
                nodes(stage, nodes, threads);
            }
            check(stage, CONTENDERS);
            return database.servers();
        }
    }

    private static Map<GuardContender, List<Increments>> applications(
            BenchDatabase database, List<GuardContender> contenders, Path directory) {
        Map<GuardContender, List<Increments>> applications = new EnumMap<>(GuardContender.class);
        for (GuardContender contender : contenders) {
            applications.put(contender, List.of(database.application(contender, directory, Map.of())));
        }
        return applications;
    }

    private static List<Cell> cells(
            Map<GuardContender, List<Increments>> applications, List<Integer> xs, IntFunction<Crowd.Load> loads) {
        List<Cell> cells = new ArrayList<>();
        for (int x : xs) {
            applications.forEach(
                    (contender, nodes) -> cells.add(new Cell(x, format("%,d", x), contender, loads.apply(x), nodes)));
        }
        return cells;
    }

    /** One filter after the other, of which each is deleted before the next. */
    private void filters(Stage stage) throws Exception {
        for (int mebibytes : integers(stage.settings, "filterMebibytes")) {
            long usable = Files.getFileStore(stage.settings.directory()).getUsableSpace();
            if (mebibytes * MEBIBYTE > usable / PART_OF_DISK) {
                String left = format("%,d MiB are left out: the disk has %,d MiB left.", mebibytes, usable / MEBIBYTE);
                note(Dimension.FILTERS, left);
                continue;
            }
            FilterSizing sizing = FilterDemand.ofRate(OPERATIONS_PER_SECOND, mebibytes * MEBIBYTE);
            takeAlone(stage, Dimension.FILTERS, mebibytes, format("%,d", mebibytes), COUNTERS, sizing);
        }
    }

    private void windows(Stage stage) throws Exception {
        long bytes = stage.settings.atLeastOne("windowMebibytes") * MEBIBYTE;
        for (int seconds : integers(stage.settings, "windowSeconds")) {
            Duration window = Duration.ofSeconds(seconds);
            FilterSizing sizing = FilterDemand.ofWindow(window, bytes);
            for (GuardContender contender : List.of(COUNTERS, COUNTERS_LEDGER)) {
                takeAlone(stage, Dimension.WINDOWS, seconds, DurationText.of(window), contender, sizing);
            }
        }
    }

    private void takeAlone(
            Stage stage, Dimension dimension, double x, String label, GuardContender contender, FilterSizing sizing)
            throws Exception {
        Path directory = stage.settings.directory().resolve("alone");
        Increments increments = stage.database.application(contender, directory, FilterDemand.properties(sizing));
        try {
            take(stage, dimension, List.of(new Cell(x, label, contender, stage.load, List.of(increments))));
        } finally {
            stage.database.stopApplications();
            Directories.delete(directory);
        }
    }

    private void nodes(Stage stage, List<Integer> counts, int threads) throws Exception {
        List<Increments> all = new ArrayList<>();
        for (int node = 0; node < most(counts); node++) {
            Path directory = stage.settings.directory().resolve("node-" + node);
            all.add(stage.database.application(COUNTERS_LEDGER, directory, Map.of()));
        }
        warmUp(stage, Map.of(COUNTERS_LEDGER, all));
        List<Cell> cells = new ArrayList<>();
        for (int count : counts) {
            Crowd.Load load = new UniformLoad(threads * count, ROWS);
            cells.add(new Cell(count, Integer.toString(count), COUNTERS_LEDGER, load, all.subList(0, count)));
        }
        take(stage, Dimension.NODES, cells);
        stage.database.stopApplications();
    }

    private void onSlowerDatabases(Settings settings) throws Exception {
        Path home = settings.postgres();
        Path directory = settings.directory();
        int threads = settings.atLeastOne("threads");
        try (BenchDatabase database = BenchDatabase.start(home, directory, threads, 1, OF_SLOWER_DATABASES, "")) {
            onDatabase(settings, database, List.of(new Situation(1, "as it is", () -> {})));
        }
        try (SynchronousPair pair = SynchronousPair.start(home, directory.resolve("pair"));
                BenchDatabase database = BenchDatabase.on(
                        pair.primary(), pair.primary().url(), threads, 1, OF_SLOWER_DATABASES, Optional.empty())) {
            onDatabase(settings, database, List.of(new Situation(2, "with a synchronous standby", () -> {})));
        }
        PostgresServer server = PostgresServer.startNew(home, directory.resolve("postgres"));
        Duration each = Duration.ofNanos(settings.atLeastOne("addedMicros") * 1_000L / 2);
        try (TcpProxy proxy = TcpProxy.open("curves", List.of(server.port()), () -> Relay.PLAIN);
                BenchDatabase database = BenchDatabase.on(
                        server, PostgresServer.url(proxy.port()), threads, 1, OF_SLOWER_DATABASES, Optional.empty())) {
            onDatabase(
                    settings,
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

    private void onDatabase(Settings settings, BenchDatabase database, List<Situation> situations) throws Exception {
        int threads = settings.atLeastOne("threads");
        try (Crowd crowd = new Crowd(database, threads, virtual, 1)) {
            Stage stage = new Stage(settings, database, crowd, new UniformLoad(threads, 1));
            Path directory = settings.directory().resolve("slower-" + situations.get(0).number);
            Map<GuardContender, List<Increments>> applications = applications(database, OF_SLOWER_DATABASES, directory);
            database.stopAutovacuum();
            for (Situation situation : situations) {
                situation.begin.run();
                note(
                        Dimension.DATABASES,
                        format(
                                "A SELECT takes %.0f µs %s.",
                                Rounds.median(database.roundTripsMicros()), situation.name));
                List<Cell> cells = OF_SLOWER_DATABASES.stream()
                        .map(contender -> new Cell(
                                situation.number,
                                situation.name,
                                contender,
                                stage.load,
                                Objects.requireNonNull(applications.get(contender))))
                        .toList();
                take(stage, Dimension.DATABASES, cells);
            }
            database.stopApplications();
            check(stage, OF_SLOWER_DATABASES);
        }
    }

    private static List<Integer> integers(Settings settings, String name) {
        return settings.list(name).map(Integer::valueOf).toList();
    }

    private static int most(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).max().orElse(1);
    }
}
