package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Plot;
import dev.fbf.loadtest.paper.Plots;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The page's directory: each plot is beside its data. */
record PageFiles(Path directory) {

    /** Writes a plot and its data; returns Markdown that shows both. */
    String plot(String name, Plot plot, String csv) {
        try {
            Files.createDirectories(directory);
            Path data = directory.resolve(name + ".csv");
            Path image = directory.resolve(name + ".png");
            boolean changed = !Files.exists(data) || !Files.readString(data).equals(csv);
            // fonts differ between machines: a plot of the same data is left as it is, so that git stays clean
            if (changed || !Files.exists(image)) {
                Files.writeString(data, csv);
                Files.write(image, Plots.png(plot));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return "![" + plot.title() + "](" + name + ".png)\n\nData: [" + name + ".csv](" + name + ".csv)\n";
    }

    void write(String name, String text) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(name), text);
    }
}
