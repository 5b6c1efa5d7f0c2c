package dev.fbf.db.dialect;

import dev.fbf.core.CounterNameException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Types of a counter's key. Each value has one canonical form: two canonical names are two counters. */
enum KeyType {
    TEXT("text without NUL and without lone surrogates"),
    NUMBER("a whole number"),
    IDENTIFIER("a UUID");

    /** Supported column types, by their names in PostgreSQL. */
    static final List<String> SQL_TYPES = List.of("text", "character varying", "bigint", "integer", "smallint", "uuid");

    private static final int LONGEST_NAME = 255;

    private final String rule;

    KeyType(String rule) {
        this.rule = rule;
    }

    /** Returns the key type of a column type, by its name in lower case; null if it is not supported. */
    static @Nullable KeyType of(String sqlType) {
        return switch (sqlType) {
            case "text", "character varying", "varchar", "char" -> TEXT;
            case "bigint", "integer", "int", "smallint" -> NUMBER;
            case "uuid" -> IDENTIFIER;
            default -> null;
        };
    }

    /** Returns the value of the key column for a canonical name. */
    public Object parsed(String canonical) {
        return switch (this) {
            case TEXT -> canonical;
            case NUMBER -> Long.valueOf(canonical);
            case IDENTIFIER -> UUID.fromString(canonical);
        };
    }

    /**
     * Returns the name in the database's notation.
     *
     * @param isOfFbf whether the counter is one of {@code fbf_counter}, whose names have 1 to 255 characters
     * @throws CounterNameException if the name is not valid for this type
     */
    public String canonical(String name, boolean isOfFbf) {
        if (isOfFbf && (name.isEmpty() || name.length() > LONGEST_NAME)) {
            throw new CounterNameException(name, "must have 1 to " + LONGEST_NAME + " characters");
        }
        try {
            return switch (this) {
                case TEXT -> {
                    // The driver encodes a lone surrogate as a question mark, which would name another counter.
                    // PostgreSQL's
                    // text cannot contain NUL.
                    if (name.codePoints().anyMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE)) {
                        throw new IllegalArgumentException(name);
                    }
                    yield name;
                }
                case NUMBER -> Long.toString(Long.parseLong(name));
                case IDENTIFIER -> UUID.fromString(name).toString();
            };
        } catch (IllegalArgumentException e) {
            throw new CounterNameException(name, "must be " + rule); // omits the cause, which has the raw name
        }
    }
}
