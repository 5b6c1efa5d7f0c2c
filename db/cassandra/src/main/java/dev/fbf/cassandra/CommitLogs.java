package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Check that Cassandra's nodes acknowledge writes only after their commit logs have them. */
final class CommitLogs {

    private static final Logger log = LoggerFactory.getLogger(CommitLogs.class);

    private static final String PERIODIC = "periodic";

    private CommitLogs() {}

    /** Logs a warning about nodes that acknowledge writes earlier. */
    static void check(CqlSession session) {
        List<String> late = late(modes(session));
        if (!late.isEmpty()) {
            log.warn(
                    "The nodes {} of Cassandra acknowledge writes before their commit logs have them (commitlog_sync:"
                            + " periodic). A killed node loses the writes that it acknowledged in the last 100 ms, and"
                            + " more after a power failure: an increment is lost if another replica lacks it at that"
                            + " time. Set commitlog_sync: batch in cassandra.yaml.",
                    late);
        }
    }

    /** Returns the setting {@code commitlog_sync} of each reachable node, by its address. */
    static Map<String, String> modes(CqlSession session) {
        SimpleStatement setting =
                SimpleStatement.newInstance("SELECT value FROM system_views.settings WHERE name = 'commitlog_sync'");
        Map<String, String> modes = new TreeMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            if (node.getOpenConnections() > 0) {
                try {
                    Row row = session.execute(setting.setNode(node)).one();
                    modes.put(node.getEndPoint().toString(), row == null ? "" : String.valueOf(row.getString("value")));
                } catch (DriverException e) {
                    log.debug("The settings of node {} cannot be read.", node, e);
                }
            }
        }
        return modes;
    }

    static List<String> late(Map<String, String> modes) {
        return modes.keySet().stream()
                .filter(node -> PERIODIC.equals(modes.get(node)))
                .toList();
    }
}
