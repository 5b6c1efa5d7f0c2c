package dev.fbf.loadtest.paper.clicks;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.paper.Plot;
import dev.fbf.loadtest.paper.Plots;
import dev.fbf.loadtest.paper.clicks.ClickStreams.Figures;
import dev.fbf.loadtest.paper.clicks.Race.Finish;
import dev.fbf.loadtest.paper.clicks.Sweeps.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The page docs/research/clicks.md, its plots and its data. */
final class ClicksPage {

    private ClicksPage() {}

    static void write(Path directory, Figures figures, Settings settings) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("clicks.csv"), data(figures));
        Files.write(directory.resolve("clicks-memory.png"), Plots.png(byMemory(figures)));
        Files.write(directory.resolve("clicks-duplicates.png"), Plots.png(byDuplicates(figures)));
        Files.write(directory.resolve("clicks-cost.png"), Plots.png(cost(figures)));
        Files.writeString(directory.resolve("clicks.md"), of(figures, settings));
    }

    /** The result for people at a terminal. */
    static String tables(Figures figures) {
        return format("%n  click stream, one memory budget: %.0f bits a click%n%n", figures.budgetBitsAClick())
                + table(figures.oneMemory())
                + format("%n  click stream, one error budget: %s of all arrivals%n%n", percent(figures.budgetErrors()))
                + table(figures.oneErrorBudget())
                + format("%n  %s%n  %s%n", errorsVerdict(figures), timeVerdict(figures))
                + late(figures, "%n  %s%n");
    }

    private static Table<Finish> table(List<Finish> finishes) {
        double nanos = Figures.forgetful(finishes).nanosAClick();
        return Table.of(finishes)
                .text("contender", Finish::contender)
                .number("bits a click", "%,.1f", Finish::bitsAClick)
                .number("bytes a click", "%,.2f", finish -> finish.bitsAClick() / Byte.SIZE)
                .number("clicks lost", "%s", finish -> percent(finish.errors().lostShare()))
                .number(
                        "duplicates missed",
                        "%s",
                        finish -> percent(finish.errors().missedShare()))
                .number(
                        "errors of all arrivals",
                        "%s",
                        finish -> percent(finish.errors().share()))
                .number("ns an arrival", "%,.0f", Finish::nanosAClick)
                .number("time over fbf's", "%.2f", finish -> finish.nanosAClick() / nanos);
    }

    /** Three digits or so, and none for what did not happen. */
    private static String percent(double share) {
        double percent = 100 * share;
        return percent == 0 ? "0" : format(percent < 0.1 ? "%.4f %%" : percent < 10 ? "%.2f %%" : "%.1f %%", percent);
    }

    private static String errorsVerdict(Figures figures) {
        Finish forgetful = Figures.forgetful(figures.oneMemory());
        Finish best = Figures.mostAccurate(figures.oneMemory());
        boolean holds = forgetful.errors().share() <= best.errors().share();
        return format(
                "Fewest errors with one memory budget: %s. The forgetful Bloom filter has %s, the best peer (%s) %s.",
                holds ? "holds" : "does not hold",
                percent(forgetful.errors().share()),
                best.contender(),
                percent(best.errors().share()));
    }

    private static String timeVerdict(Figures figures) {
        Finish forgetful = Figures.forgetful(figures.oneMemory());
        Finish best = Figures.fastest(figures.oneMemory());
        return format(
                "Least time with one memory budget: %s. The forgetful Bloom filter takes %.0f ns an arrival, the fastest peer (%s) %.0f ns.",
                forgetful.nanosAClick() <= best.nanosAClick() ? "holds" : "does not hold",
                forgetful.nanosAClick(),
                best.contender(),
                best.nanosAClick());
    }

    /** Redis expires early for what the run falls behind its pace; gaps leave it a twentieth, less one turn. */
    private static String late(Figures figures, String format) {
        double leeway = 1 - Gaps.LONGEST / Demand.WINDOW.toSeconds() - (double) Race.SLICES_OF_TURN / Demand.SLICES;
        return figures.mostLate() <= leeway
                ? ""
                : format(
                        format,
                        format(
                                "The machine was too slow: the run fell behind its pace by %.1f %% of a window, so Redis expired keys early.",
                                100 * figures.mostLate()));
    }

    private static String data(Figures figures) {
        record Row(String sweep, String contender, double bits, double duplicates, Errors errors, String nanos) {}
        Stream<Row> race = figures.race().stream()
                .map(finish -> new Row(
                        finish.oneMemory() ? "one memory budget" : "one error budget",
                        finish.contender().replace(",", ""),
                        finish.bitsAClick(),
                        figures.duplicates(),
                        finish.errors(),
                        format("%.1f", finish.nanosAClick())));
        Stream<Row> swept = Stream.concat(
                        figures.byMemory().stream().map(point -> new Swept("by memory", point)),
                        figures.byDuplicates().stream().map(point -> new Swept("by duplicates", point)))
                .map(row -> new Row(
                        row.sweep,
                        row.point.peer().replace(",", ""),
                        row.point.bitsAClick(),
                        row.point.duplicates(),
                        row.point.errors(),
                        ""));
        return Table.of(Stream.concat(race, swept).toList())
                .text("sweep", Row::sweep)
                .text("contender", Row::contender)
                .number("bits a click", "%.2f", Row::bits)
                .number("share of duplicates", "%.4f", Row::duplicates)
                .number("clicks", "%d", row -> row.errors.clicks())
                .number("clicks lost", "%d", row -> row.errors.lost())
                .number("duplicates", "%d", row -> row.errors.duplicates())
                .number("duplicates missed", "%d", row -> row.errors.missed())
                .text("ns an arrival", Row::nanos)
                .csv();
    }

    private record Swept(String sweep, Point point) {}

    private static Plot byMemory(Figures figures) {
        return new Plot(
                "Errors by memory",
                "bits a click of the window",
                false,
                "errors of all arrivals",
                lines(figures.byMemory(), Point::bitsAClick));
    }

    private static Plot byDuplicates(Figures figures) {
        return new Plot(
                format("Errors by the share of duplicates (%.0f bits a click)", figures.budgetBitsAClick()),
                "share of duplicates",
                false,
                "errors of all arrivals",
                lines(figures.byDuplicates(), Point::duplicates));
    }

    /** On a logarithmic axis zero has no place. */
    private static List<Plot.Line> lines(List<Point> points, ToDoubleFunction<Point> x) {
        return Stream.of(Peer.values())
                .map(peer -> points.stream()
                        .filter(point -> point.peer().equals(peer.shortTitle())
                                && point.errors().share() > 0)
                        .toList())
                .filter(line -> !line.isEmpty())
                .map(line -> new Plot.Line(
                        line.get(0).peer(),
                        line.stream().map(x::applyAsDouble).toList(),
                        line.stream().map(point -> point.errors().share()).toList(),
                        false))
                .toList();
    }

    private static Plot cost(Figures figures) {
        return new Plot(
                format("Memory and time with at most %s errors", percent(figures.budgetErrors())),
                "bits a click of the window",
                true,
                "ns an arrival",
                figures.oneErrorBudget().stream()
                        .map(finish -> new Plot.Line(
                                finish.contender(), List.of(finish.bitsAClick()), List.of(finish.nanosAClick()), false))
                        .toList());
    }

    private static String of(Figures figures, Settings settings) {
        boolean withRedis =
                figures.race().stream().anyMatch(finish -> finish.contender().equals(Peer.REDIS));
        return format(
                """
                # Click streams

                An advertisement's clicks arrive more than once: users click twice, clients retry, queues deliver again, and some cheat. A structure that \
                remembers the clicks of a window decides of each arrival whether it is new or a duplicate. It makes two kinds of error: a new click is \
                *lost* if it is taken for a duplicate, and so are all of its duplicates; a duplicate is *missed* if it is taken for new, and its click has been before. Here fbf's filter and the peers that one would pick \
                instead decide of the same generated stream, of which the truth is known. `mvn -Ppaper verify -Druns=paper-clicks` repeats it and writes this page.

                - **%s**
                - **%s**

                ## One memory budget

                Each gets %.0f bits for each click of the fullest window.

                %s
                ## One error budget

                Each gets the least memory with which it made errors at no more than %s of all arrivals, found on another stream. Caffeine and Redis are exact and \
                take what they take. Who is not in the table cannot do it with 1,024 bits a click.

                %s
                %s%s
                ![Errors by memory](clicks-memory.png)

                ![Errors by the share of duplicates](clicks-duplicates.png)

                ![Memory and time with one error budget](clicks-cost.png)

                Data: [clicks.csv](clicks.csv)

                ## The stream

                - %,d new clicks a window on average, over %s windows of ten minutes of its own time; %.1f %% of all arrivals are duplicates. The first window is not counted.
                - A click's id is made of its user, its advertisement and its impression. Users are zipfian with an exponent of 0.8 (a million), advertisements of 1 (ten \
                thousand): about the popularity of pages and of words. All contenders hash the ids, so this does not show in the figures.
                - Bursts: every two minutes on average the rate rises to four times for eight seconds on average, half of it on one advertisement. The contenders \
                are sized for the clicks of the fullest window, not for a burst: a generation that is filled in a burst is fuller than its neighbours.
                - The gap from a click to its duplicate: half are double clicks (log-normal, median 0.4 s), 35 %% are retries of clients (1, 2, 4, … 32 s, with a jitter of \
                a half), 15 %% come again from queues or replays (log-uniform, 30 s to 9.5 minutes). Three duplicates in ten have another one. \
                None comes later than 95 %% of the window after its click: retries end before the window that is configured for them.
                - Shares, rates and gaps are assumptions; they are the same for all. Short gaps prevail, which is to the benefit of those that forget early.

                ## How it was measured

                - **Turns.** All contenders of both tables take the same clicks in the same run, in turns of a fiftieth of a window. Another one begins in each turn. Times are \
                medians over the turns; they include all that a contender does to forget. One thread.
                - **fbf**: the real filter off the heap. *By its planner*: sized for the rate of the fullest window and the lowest false positive probability that fits; the \
                planner takes the rate for steady. *N for the bursts*: with the number of past generations, of 1, 5, 13, 29 and 61, that has the fewest false positives in this \
                stream; the verdict is about this one. A burst fills the generation that it falls in, the more the shorter its period. It may not grow, since the memory \
                is given. An arrival is checked, and put if it seems new, many in a call, as `putAll` of a `KeyedFilter` does. Its clock is the stream's. The sample of the load that an application takes each second on another thread is left out.
                - **In bulk**: arrivals come many at a time, so fbf loads the lines of 64 before it decides of the first. So do the contenders that are written here, with the memory \
                that the first step of a decision reads; Redis has a pipeline. The decisions are made in order in any case. Guava and Caffeine have no such call.
                - **Why fbf has more errors than some.** The cuckoo filter stores a click once; a Bloom filter that forgets by generations asks all of them, and each can be wrong. \
                All of fbf's bits of a click are in a few cache lines, which fill unevenly, and its planner gives up to an eighth of the memory for fewer of them: rotating Guava \
                filters have fewer errors and take several times as long. What a cuckoo filter pays with stands on [its page](cuckoo.md): it can be full, and it is for one thread here.
                - **Guava**: as many filters as named, or the number with the fewest false positives in this stream. A filter that is rotated out is replaced by a new one.
                - **Stable Bloom filter** (Deng and Rafiei, 2006): 1 to 3 bits a cell, and K and P with the fewest errors by its model, which knows the gaps of this stream.
                - **Age-partitioned Bloom filter** (Shtul, Baquero and Almeida, 2020): k and l with the fewest false positives in this stream. Its slices shift by time.
                - **Cuckoo filters** (Fan and others, 2014): to delete, it must be known what is outlived. *By epoch*: each entry has a few bits that name its period. \
                *From a queue*: bucket and fingerprint of each click in a queue, 8 bytes. With too little memory for all of a window the queue deletes early.
                - **Caffeine**: ids in a cache that expires after the window, bytes a click by the growth of the heap after garbage collections. With the memory budget \
                its size is limited. Its maintenance runs in the same thread.
                - **Redis**: %s
                - **Memory** is everything that a structure needs to check and to forget, but not code, and not what an empty Redis takes.
                - A filter with periods remembers up to one period longer than the window. In this stream nothing comes again after the window, so that costs no clicks; where \
                the id is only a user and an advertisement, it would.
                """,
                errorsVerdict(figures),
                timeVerdict(figures),
                figures.budgetBitsAClick(),
                table(figures.oneMemory()).markdown(),
                percent(figures.budgetErrors()),
                table(figures.oneErrorBudget()).markdown(),
                withRedis ? "" : "No Redis was found: it is left out.\n\n",
                late(figures, "%s%n%n"),
                settings.integer("clicks"),
                settings.text("windows"),
                100 * figures.duplicates(),
                format(
                        "`SET id 1 NX PX window`, 1,000 at a time over one connection on the same machine. It lives in the machine's time, so the run keeps a pace at which a window"
                                + " takes %s s. With the memory budget it evicts the keys that expire first. Bytes from `INFO memory`, the most of all turns.",
                        settings.text("seconds")));
    }
}
