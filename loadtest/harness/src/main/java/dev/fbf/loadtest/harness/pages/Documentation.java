package dev.fbf.loadtest.harness.pages;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The pages that can have blocks of figures, and the results that these come from. */
record Documentation(Path repository) {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** The pages by their paths in the repository: README.md first. */
    Map<String, Page> pages() throws IOException {
        Map<String, Page> pages = new LinkedHashMap<>();
        List<Path> files = new ArrayList<>(List.of(repository.resolve("README.md")));
        try (Stream<Path> docs = Files.walk(repository.resolve("docs"), 2)) {
            docs.filter(file -> file.toString().endsWith(".md")).sorted().forEach(files::add);
        }
        for (Path file : files) {
            pages.put(repository.relativize(file).toString(), new Page(Files.readString(file)));
        }
        return pages;
    }

    private Path results() {
        return repository.resolve("docs/results");
    }

    /** What a block is to contain; empty if its run has no result. */
    Optional<String> generated(Page.Block block) {
        Path result = results().resolve(block.run() + ".json");
        return Files.exists(result)
                ? Optional.of(Figures.of(block.run(), block.figures(), MAPPER.readTree(result)))
                : Optional.empty();
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
                Optional<String> refusal = take(result);
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

    /** Takes over a result, without the single turns, which no page shows; says why not, if it does not. */
    private Optional<String> take(Path written) throws IOException {
        ObjectNode result = (ObjectNode) MAPPER.readTree(written);
        if (!result.path("length").asString("").equals("full")) {
            return Optional.of("is not of a full run");
        }
        if (!result.path("failures").isEmpty()) {
            return Optional.of("is of a run that failed");
        }
        if (result.required("figures") instanceof ObjectNode figures) {
            figures.remove("turns");
        }
        Path kept = Files.createDirectories(results()).resolve(written.getFileName());
        if (kept.endsWith("guard.json") && Files.exists(kept)) {
            JsonNode before = MAPPER.readTree(kept);
            boolean same = before.path("date").equals(result.path("date"));
            result.set("earlier", same ? before.path("earlier") : Figures.withEarlier(before));
        }
        Files.writeString(kept, MAPPER.writeValueAsString(result) + "\n");
        return Optional.empty();
    }

    private void copyPlots(Path written, String run) throws IOException {
        try (DirectoryStream<Path> plots = Files.newDirectoryStream(written, run + "-*.png")) {
            for (Path plot : plots) {
                Path copy = repository.resolve("docs/research/performance").resolve(plot.getFileName());
                Files.createDirectories(copy.resolveSibling(""));
                Files.copy(plot, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }
}
