package dev.fbf.loadtest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A report, whichever it is, for machines to read. */
public final class ReportJson {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private ReportJson() {}

    static String of(Object report) {
        return MAPPER.writeValueAsString(report);
    }

    /** Writes a report to a file, whose directory is made. */
    public static void write(Object report, Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, of(report));
    }
}
