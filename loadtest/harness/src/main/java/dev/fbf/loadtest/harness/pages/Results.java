package dev.fbf.loadtest.harness.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The results that pages quote: those of full runs, which are part of the repository.
 *
 * @param directory where they are
 */
record Results(Path directory) {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** The result of a run; empty if there is none. */
    Optional<JsonNode> of(String run) throws IOException {
        Path file = directory.resolve(run + ".json");
        return Files.exists(file) ? Optional.of(MAPPER.readTree(Files.readString(file))) : Optional.empty();
    }

    /**
     * Takes over the result that a run has just written, without the single turns, which no page shows.
     *
     * @return why not; empty if it was taken over
     */
    Optional<String> take(Path written) throws IOException {
        ObjectNode result = (ObjectNode) MAPPER.readTree(Files.readString(written));
        if (!result.path("length").asString("").equals("full")) {
            return Optional.of("is not of a full run");
        }
        if (!result.path("failures").isEmpty()) {
            return Optional.of("is of a run that failed");
        }
        if (result.required("figures") instanceof ObjectNode figures) {
            figures.remove("turns");
        }
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(written.getFileName()), MAPPER.writeValueAsString(result) + "\n");
        return Optional.empty();
    }
}
