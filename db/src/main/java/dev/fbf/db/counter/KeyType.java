package dev.fbf.db.counter;

import dev.fbf.core.CounterNameException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Types of a counter's key. Each value has one canonical form, so that two canonical names are two counters. */
enum KeyType {
    TEXT("text without NUL and without lone surrogates"),
    NUMBER("a whole number"),
    IDENTIFIER("a UUID");

    /** The column types, by their names in PostgreSQL. */
    static final List<String> SQL_TYPES = List.of("text", "character varying", "bigint", "integer", "smallint", "uuid");

    private final String rule;

    KeyType(String rule) {
        this.rule = rule;
    }

    /** Returns the key type of a column type, by its name in PostgreSQL; null if it is not in {@link #SQL_TYPES}. */
    static @Nullable KeyType of(String sqlType) {
        return switch (sqlType) {
            case "text", "character varying" -> TEXT;
            case "bigint", "integer", "smallint" -> NUMBER;
            case "uuid" -> IDENTIFIER;
            default -> null;
        };
    }

    /**
     * The name as PostgreSQL writes it.
     *
     * @throws CounterNameException if it is none of this type
     */
    String canonical(String name) {
        try {
            return switch (this) {
                case TEXT -> requireWritable(name);
                case NUMBER -> Long.toString(Long.parseLong(name));
                case IDENTIFIER -> UUID.fromString(name).toString();
            };
        } catch (IllegalArgumentException e) {
            throw new CounterNameException(name, "must be " + rule); // the cause has the name as it is
        }
    }

    /** The driver writes a lone surrogate as a question mark, which is another counter's name; PostgreSQL has no NUL. */
    private static String requireWritable(String name) {
        if (name.codePoints().anyMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE)) {
            throw new IllegalArgumentException(name);
        }
        return name;
    }
}
