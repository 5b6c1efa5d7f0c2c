package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Repeats the experiments and writes the page, its plots and its data. */
public final class PaperReproduction implements Run {

    private static final List<Supplier<Experiment>> EXPERIMENTS = List.of(
            OptimizedCheck::new,
            ModelByElements::new,
            ModelBySize::new,
            RefreshPeriods::new,
            FilterNumbers::new,
            AdaptiveRun::new,
            RecyclableComparison::new);

    @Override
    public Findings run(Settings settings) throws IOException {
        int seeds = settings.atLeastOne("seeds");
        List<Figure> figures = EXPERIMENTS.stream()
                .map(experiment -> experiment.get().run(seeds))
                .toList();
        write(settings.inRepository(settings.text("page")), figures, seeds);
        List<Claim> claims =
                figures.stream().flatMap(figure -> figure.claims().stream()).toList();
        return new Findings(Map.of("claims", claims), table(figures, seeds), List.of(), List.of(), Map.of());
    }

    private static void write(Path directory, List<Figure> figures, int seeds) throws IOException {
        Files.createDirectories(directory);
        for (Figure figure : figures) {
            boolean changed = write(
                    directory.resolve(figure.fileName() + ".csv"), figure.data().csv());
            Path plot = directory.resolve(figure.fileName() + ".png");
            // fonts differ between machines: a plot of the same data is left as it is, so that git stays clean
            if (changed || !Files.exists(plot)) {
                Files.write(plot, Plots.png(figure.plot()));
            }
        }
        write(directory.resolve("README.md"), Page.of(figures, seeds));
    }

    /** Returns whether the file had not said just that before. */
    private static boolean write(Path file, String text) throws IOException {
        if (Files.exists(file) && Files.readString(file).equals(text)) {
            return false;
        }
        Files.writeString(file, text);
        return true;
    }

    /** The result for people at a terminal. */
    static String table(List<Figure> figures, int seeds) {
        StringBuilder text = new StringBuilder(Digits.format("%n  the paper, reproduced: %d seeds%n", seeds));
        for (Figure figure : figures) {
            for (Claim claim : figure.claims()) {
                text.append(Digits.format("%n  figure %-2d  %s: %s%n", claim.figure(), claim.claim(), claim.verdict()));
                line(text, "paper", claim.paper());
                line(text, "as printed", claim.asPrinted());
                line(text, "corrected", claim.corrected());
                line(text, "SINGLE", claim.single());
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String title, String value) {
        text.append(Digits.format("    %-12s %s%n", title, value));
    }
}
