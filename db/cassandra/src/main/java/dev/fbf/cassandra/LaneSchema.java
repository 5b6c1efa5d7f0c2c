package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.fbf.core.StorageException;

/** The table of all lanes, in the session's keyspace. */
public final class LaneSchema {

    private LaneSchema() {}

    /*
     * Groups in the table are never deleted, they expire. So tombstones need to be kept only as long as hints are, which is less than
     * a day.
     */

    /** {@return the statement that creates the table if it does not exist} */
    public static String statement() {
        return """
                CREATE TABLE IF NOT EXISTS fbf_lane (
                  scope text,
                  lane int,
                  seq bigint STATIC,
                  kind tinyint,
                  name text,
                  value bigint,
                  operations blob,
                  PRIMARY KEY ((scope, lane), kind, name)
                ) WITH gc_grace_seconds = 86400
                  AND comment = 'fbf: kind 0: shares of counters, 1: groups of recent operations, 2: forwarded operations, 3: replicas that decide'""";
    }

    /**
     * Creates the table in the session's keyspace if it does not exist.
     *
     * @throws StorageException if the session has no keyspace
     * @throws com.datastax.oss.driver.api.core.DriverException if the user may not create tables, or Cassandra cannot be reached
     */
    public static void create(CqlSession session) {
        requireKeyspace(session);
        if (!exists(session)) {
            session.execute(statement());
        }
    }

    /**
     * Checks that the table exists.
     *
     * @throws StorageException if it does not, the session has no keyspace, or Cassandra's nodes have different schemas
     */
    public static void check(CqlSession session) {
        String keyspace = requireKeyspace(session).asCql(true);
        if (!session.checkSchemaAgreement()) {
            throw new StorageException(
                    "The nodes of Cassandra have different schemas: two nodes may have created the table "
                            + LaneTable.NAME + " of keyspace " + keyspace + " concurrently, as two tables.",
                    "Wait until they agree (nodetool describecluster), and start again. If they do not, restart the"
                            + " nodes of Cassandra one by one. If several nodes of the application start together on an"
                            + " empty keyspace, create the table first (property fbf.cassandra.create-table=false): "
                            + statement() + ";");
        }
        if (!exists(session)) {
            throw new StorageException(
                    "The keyspace " + keyspace + " has no table " + LaneTable.NAME + ".",
                    "Create it: " + statement() + ";");
        }
    }

    private static CqlIdentifier requireKeyspace(CqlSession session) {
        return session.getKeyspace()
                .orElseThrow(() -> new StorageException(
                        "The session has no keyspace.",
                        "Set one (property spring.cassandra.keyspace-name), or build the session with one."));
    }

    private static boolean exists(CqlSession session) {
        return session.execute(SimpleStatement.newInstance(
                                "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name ="
                                        + " ?",
                                requireKeyspace(session).asInternal(),
                                LaneTable.NAME))
                        .one()
                != null;
    }
}
