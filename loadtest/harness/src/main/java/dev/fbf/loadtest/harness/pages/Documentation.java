package dev.fbf.loadtest.harness.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The pages that can have blocks of figures, and the results that these come from.
 *
 * @param repository where README.md is
 */
record Documentation(Path repository) {

    /** The pages by their paths in the repository: README.md first. */
    Map<String, Page> pages() throws IOException {
        Map<String, Page> pages = new LinkedHashMap<>();
        List<Path> files = new ArrayList<>(List.of(repository.resolve("README.md")));
        try (DirectoryStream<Path> docs = Files.newDirectoryStream(repository.resolve("docs"), "*.md")) {
            docs.forEach(files::add);
        }
        for (Path file : files) {
            pages.put(repository.relativize(file).toString(), new Page(Files.readString(file)));
        }
        return pages;
    }

    Results results() {
        return new Results(repository.resolve("docs/results"));
    }

    /** What a block is to contain; empty if its run has no result. */
    Optional<String> generated(Page.Block block) {
        try {
            return results().of(block.run()).map(result -> Figures.of(block.run(), block.figures(), result));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Takes over the results and plots that full runs have written, and writes the blocks of all pages again.
     *
     * @return what was done
     */
    List<String> update(Path written) throws IOException {
        List<String> done = new ArrayList<>();
        Map<String, Page> pages = pages();
        TreeSet<String> runs = new TreeSet<>();
        pages.values().forEach(page -> page.blocks().forEach(block -> runs.add(block.run())));
        for (String run : runs) {
            Path result = written.resolve(run + ".json");
            if (Files.exists(result)) {
                Optional<String> refusal = results().take(result);
                done.add(run + ".json " + refusal.orElse("is in docs/results"));
                if (refusal.isEmpty()) {
                    copyPlots(written, run);
                }
            }
        }
        for (Map.Entry<String, Page> page : pages.entrySet()) {
            Page updated = page.getValue().with(block -> generated(block).orElse(block.content()));
            if (!updated.equals(page.getValue())) {
                Files.writeString(repository.resolve(page.getKey()), updated.text());
                done.add(page.getKey() + " has other figures than before");
            }
        }
        return done;
    }

    private void copyPlots(Path written, String run) throws IOException {
        try (DirectoryStream<Path> plots = Files.newDirectoryStream(written, run + "-*.svg")) {
            for (Path plot : plots) {
                Path copy = repository.resolve("docs/performance").resolve(plot.getFileName());
                Files.createDirectories(copy.resolveSibling(""));
                Files.writeString(copy, Files.readString(plot));
            }
        }
    }
}
