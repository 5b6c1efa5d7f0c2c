package dev.fbf.db.dialect;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** fbf's tables in a schema, for SQL that is written as templates with {@code {fbf}} before each table's name. Thread-safe. */
public final class Tables {

    /*
     * A statement never changes, as the driver's cache of prepared statements requires. Templates are constants that contain no name from
     * the application.
     */
    private static final String PLACEHOLDER = "{fbf}";

    private final String schema;
    private final String now;
    private final Map<String, String> statements = new ConcurrentHashMap<>();

    /** @param schema the schema's name in SQL */
    public Tables(String schema) {
        this(schema, "");
    }

    /** @param now the SQL in place of {@code {now}} */
    Tables(String schema, String now) {
        this.schema = schema;
        this.now = now;
    }

    /** Returns the SQL of a template. */
    public String sql(String template) {
        String known = statements.get(template);
        if (known == null) {
            known = template.replace(PLACEHOLDER, schema).replace("{now}", now);
            statements.put(template, known);
        }
        return known;
    }
}
