package dev.fbf.db.connection;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Names of tables and columns as SQL has them (SQL:2016, delimited identifiers): whatever is in them, nothing else. */
public final class Identifiers {

    private Identifiers() {}

    /** Quotes one name. */
    public static String quote(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("name=" + name + ": must not be empty, nor have a NUL character");
        }
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** Quotes a table's name, with or without its schema's before a dot. */
    public static String quoteQualified(String name) {
        return Arrays.stream(name.split("\\.", -1)).map(Identifiers::quote).collect(Collectors.joining("."));
    }
}
