package dev.fbf.spring;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A table with one number in it: what the tests' guarded methods count in. */
public final class CountedTable {

    private final JdbcClient jdbc;

    private CountedTable(DataSource dataSource) {
        jdbc = JdbcClient.create(dataSource);
    }

    /** Makes it anew, with 0, in a database that remembers no operations. */
    public static CountedTable makeIn(DataSource dataSource) {
        CountedTable table = new CountedTable(dataSource);
        // at once: each statement would need a connection
        table.jdbc.sql("""
                DROP TABLE IF EXISTS counted;
                CREATE TABLE counted (value bigint NOT NULL);
                INSERT INTO counted VALUES (0);
                DO $$ BEGIN IF to_regclass('fbf_ledger') IS NOT NULL THEN DELETE FROM fbf_ledger; END IF; END $$
                """).update();
        return table;
    }

    public long value() {
        return jdbc.sql("SELECT value FROM counted").query(Long.class).single();
    }

    /** Has nobody wait for nodes that are gone, as the runbook does. */
    public void forgetNodes() {
        jdbc.sql(
                        "UPDATE fbf_lease SET ended = true, retry_window = interval '0'; UPDATE fbf_scope SET held_until = NULL")
                .update();
    }

    /** As somebody does who should not. */
    public void changeTokens(@Nullable UUID node) {
        jdbc.sql("UPDATE fbf_witness SET token = token + 77 WHERE left(node::text, 18) = left(:node, 18)")
                .param("node", String.valueOf(node))
                .update();
    }

    /** The witness's token of each slot, of all nodes. */
    public Map<String, Long> tokens() {
        Map<String, Long> tokens = new HashMap<>();
        jdbc.sql("SELECT node || '/' || slot, token FROM fbf_witness").query(row -> {
            tokens.put(row.getString(1), row.getLong(2));
        });
        return tokens;
    }
}
