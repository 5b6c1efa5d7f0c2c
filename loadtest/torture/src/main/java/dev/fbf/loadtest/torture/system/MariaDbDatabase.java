package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.sql.SqlEndpoint;
import dev.fbf.loadtest.torture.client.Operations;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** MariaDB with the same tables. */
final class MariaDbDatabase extends Database {

    private final SqlEndpoint server;

    MariaDbDatabase(SqlEndpoint server) {
        super(server);
        this.server = server;
    }

    @Override
    void create(int counters) throws SQLException {
        execute(
                "CREATE TABLE torture_page (name varchar(80) PRIMARY KEY, views bigint NOT NULL)",
                "CREATE TABLE torture_probe AS SELECT 0 AS applied",
                "CREATE TABLE torture_applied (operation varchar(80) NOT NULL, counter varchar(80) NOT NULL,"
                        + " at timestamp(3) NOT NULL DEFAULT now(3))",
                "INSERT INTO torture_page SELECT concat('" + Operations.PAGE + "', seq), 0 FROM seq_0_to_"
                        + (counters - 1));
    }

    @Override
    void watchCounters() throws SQLException {
        for (String change : List.of("INSERT", "UPDATE")) {
            String before = change.equals("INSERT") ? "0" : "OLD.value";
            execute("CREATE TRIGGER torture_write_down_" + change + " AFTER " + change + " ON fbf_counter FOR EACH ROW"
                    + " INSERT INTO torture_applied (operation, counter)"
                    + " SELECT IF(NEW.name LIKE 'op-%', substr(NEW.name, 4), ''), NEW.name"
                    + " FROM seq_1_to_1000 WHERE seq <= NEW.value - " + before);
        }
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    long groupsOfSeveral() throws SQLException {
        return server.number(
                "SELECT count(*) FROM (SELECT 1 FROM fbf_ledger GROUP BY transaction_id HAVING count(*) > 1) several");
    }
}
