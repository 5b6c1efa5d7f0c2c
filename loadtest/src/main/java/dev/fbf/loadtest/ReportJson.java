package dev.fbf.loadtest;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A report for machines to read. */
final class ReportJson {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private ReportJson() {}

    static String of(Report report) {
        return MAPPER.writeValueAsString(report);
    }
}
