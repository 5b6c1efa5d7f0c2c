package dev.fbf.db;

import dev.fbf.db.dialect.CounterTable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The plans that PostgreSQL makes for statements whose parameters it does not know, and keeps. */
public final class Plans {

    private Plans() {}

    public static List<String> of(Connection connection, String statement) throws SQLException {
        List<String> plan = new ArrayList<>();
        try (Statement explain = connection.createStatement();
                ResultSet steps = explain.executeQuery("EXPLAIN (GENERIC_PLAN) " + numbered(statement))) {
            while (steps.next()) {
                plan.add(steps.getString(1));
            }
        }
        return plan;
    }

    private static String numbered(String statement) {
        StringBuilder numbered = new StringBuilder();
        int parameters = 0;
        for (String part : statement.split("\\?", -1)) {
            numbered.append(parameters == 0 ? "" : "$" + parameters).append(part);
            parameters++;
        }
        return numbered.toString();
    }

    /** The plan of a statement on a table of 1,000 counters. */
    public static List<String> onPages(Connection connection, Statements statements) throws SQLException {
        FbfDatabase.execute(connection, "DROP TABLE IF EXISTS page");
        FbfDatabase.execute(connection, "CREATE TABLE page (id bigint PRIMARY KEY, views bigint NOT NULL)");
        FbfDatabase.execute(connection, "INSERT INTO page SELECT id, 0 FROM generate_series(1, 1000) AS id");
        FbfDatabase.execute(connection, "ANALYZE page");
        return of(connection, statements.on(CounterTable.of(connection, "page", "id", "views")));
    }

    /** SQL on a table of counters. */
    public interface Statements {
        String on(CounterTable counters);
    }
}
