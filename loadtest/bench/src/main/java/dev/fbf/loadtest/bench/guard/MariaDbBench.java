package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.harness.sql.MariaDbServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A MariaDB of our own, as safe as one in production. */
final class MariaDbBench extends BenchDatabase {

    private final MariaDbServer server;

    private MariaDbBench(MariaDbServer server, int connections, int counters, Collection<GuardContender> contenders) {
        super(server, connections, counters, contenders, Optional.empty());
        this.server = server;
    }

    static MariaDbBench start(Path directory, int connections, int counters, Collection<GuardContender> contenders)
            throws IOException, InterruptedException, SQLException {
        MariaDbServer server = MariaDbServer.startNew(directory.resolve("mariadb"));
        for (GuardContender contender : contenders) {
            server.execute("CREATE TABLE " + contender.counters()
                    + " (id integer PRIMARY KEY, value bigint NOT NULL) SELECT seq AS id, 0 AS value FROM seq_0_to_"
                    + (counters - 1));
            server.execute(contender.makeKeys());
        }
        return new MariaDbBench(server, connections, counters, contenders);
    }

    /** The server has nothing like it. */
    @Override
    void stopAutovacuum() {}

    @Override
    void tidy(GuardContender contender) {}

    @Override
    Map<String, Double> costs(GuardContender contender) throws SQLException {
        long tableBytes = 0;
        for (String table : contender.tables()) {
            String name = table.contains(".") ? table : server.database() + "." + table;
            tableBytes += server.number("SELECT data_length + index_length FROM information_schema.tables"
                    + " WHERE concat(table_schema, '.', table_name) = '" + name + "'");
        }
        Map<String, Double> costs = new LinkedHashMap<>();
        costs.put("serverMicros", server.processorTime().toNanos() / 1e3);
        costs.put("transactions", (double) status("COM_COMMIT"));
        costs.put("walBytes", (double) status("INNODB_OS_LOG_WRITTEN"));
        costs.put("tableBytes", (double) tableBytes);
        return costs;
    }

    private long status(String name) throws SQLException {
        return server.number(
                "SELECT variable_value FROM information_schema.global_status WHERE variable_name = '" + name + "'");
    }
}
