package dev.fbf.loadtest.paper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Repeats the experiments and writes the page, its plots, its data and the result. */
public final class PaperReproduction {

    private static final List<Experiment> EXPERIMENTS = List.of(
            new OptimizedCheck(),
            new ModelByElements(),
            new ModelBySize(),
            new RefreshPeriods(),
            new FilterNumbers(),
            new AdaptiveRun(),
            new RecyclableComparison());

    private PaperReproduction() {}

    /**
     * Runs everything.
     *
     * @param args the directory of the page, the file of the result, and the number of seeds
     */
    public static void main(String[] args) throws IOException {
        Path page = Path.of(args[0]).normalize();
        Path result = Path.of(args[1]).normalize();
        int seeds = Integer.parseInt(args[2]);
        List<Figure> figures =
                EXPERIMENTS.stream().map(experiment -> experiment.run(seeds)).toList();
        write(page, figures, seeds);
        Files.createDirectories(result.toAbsolutePath().getParent());
        Files.writeString(result, ResultJson.of(figures, seeds));
        System.out.print(ResultTable.of(figures, seeds));
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
}
