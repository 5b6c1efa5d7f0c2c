package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** The node of the tests has {@code commitlog_sync: batch}. A table stands for the settings of another. */
@Timeout(120)
class CommitLogsTest {

    @RegisterExtension
    static final CassandraForTests cassandra = new CassandraForTests();

    @Test
    void aStartWarnsOfNodesThatAcknowledgeBeforeTheirCommitLogsHaveIt() throws Exception {
        cassandra.session().execute("CREATE TABLE settings (name text PRIMARY KEY, value text)");
        cassandra.session().execute("INSERT INTO settings (name, value) VALUES ('commitlog_sync', 'periodic')");
        String node = cassandra
                .session()
                .getMetadata()
                .getNodes()
                .values()
                .iterator()
                .next()
                .getEndPoint()
                .toString();

        assertThat(warningsOfAStart(withSettingsOfTheTable(cassandra.session())))
                .singleElement()
                .asString()
                .startsWith(
                        "The nodes [" + node + "] of Cassandra acknowledge writes before their commit logs have them")
                .endsWith("Set commitlog_sync: batch in cassandra.yaml.");
        assertThat(warningsOfAStart(cassandra.session())).isEmpty();
    }

    private static List<String> warningsOfAStart(CqlSession session) {
        ListAppender<ILoggingEvent> events = new ListAppender<>();
        events.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Replication.class);
        Level usual = logger.getLevel();
        logger.setLevel(Level.WARN);
        logger.addAppender(events);
        try {
            new LaneCounters(session, new LaneSettings("scope", plan())).close();
        } finally {
            logger.detachAppender(events);
            logger.setLevel(usual);
        }
        return events.list.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(warning -> warning.contains("commit log"))
                .toList();
    }

    private static FilterPlan plan() {
        return new FilterSizing(1_000, Duration.ofMinutes(2), 1e-9, FilterSizing.UNLIMITED, true).plan();
    }

    private static CqlSession withSettingsOfTheTable(CqlSession session) {
        return (CqlSession) Proxy.newProxyInstance(
                CommitLogsTest.class.getClassLoader(),
                new Class<?>[] {CqlSession.class},
                (proxy, method, arguments) -> {
                    if (arguments != null && arguments[0] instanceof SimpleStatement statement) {
                        String query = statement.getQuery().replace("system_views.settings", "settings");
                        arguments[0] = statement.setQuery(query);
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
