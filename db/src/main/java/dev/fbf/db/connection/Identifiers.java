package dev.fbf.db.connection;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Quoting of table and column names for SQL (SQL:2016, delimited identifiers), so that any text is only a name. */
public final class Identifiers {

    private Identifiers() {}

    public static String quote(String name) {
        return quote(name, '"');
    }

    /**
     * Quotes a name.
     *
     * @param mark the mark around it: a backtick in MySQL
     */
    public static String quote(String name, char mark) {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("name=" + name + ": must not be empty or contain NUL");
        }
        String quote = String.valueOf(mark);
        return quote + name.replace(quote, quote + quote) + quote;
    }

    /** Quotes a table's name, which may be qualified by a schema and a dot. */
    public static String quoteQualified(String name) {
        return Arrays.stream(name.split("\\.", -1)).map(Identifiers::quote).collect(Collectors.joining("."));
    }
}
