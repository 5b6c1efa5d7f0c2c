package dev.fbf.loadtest.torture.pgwire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SharedServer;
import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What pgjdbc really sends for a COMMIT: the reason why {@link ClientStream} is as it is. */
class PgjdbcStatementsTest {

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    private final List<String> sent = new CopyOnWriteArrayList<>();

    @Test
    void preparesCommitAtItsFirstUseAndThenOnlyNamesIt() throws Exception {
        commitTwice("");
        assertThat(sent).containsSubsequence("Q BEGIN", "P S_1 COMMIT", "B S_1", "Q BEGIN", "B S_1");
        assertThat(sent).filteredOn(message -> message.contains("COMMIT")).hasSize(1);
    }

    @Test
    void parsesAnUnnamedCommitEachTimeWithoutPreparing() throws Exception {
        commitTwice("&prepareThreshold=0");
        assertThat(sent).filteredOn(message -> message.equals("P  COMMIT")).hasSize(2);
    }

    @Test
    void sendsASimpleQueryInSimpleMode() throws Exception {
        commitTwice("&preferQueryMode=simple");
        assertThat(sent).filteredOn(message -> message.equals("Q COMMIT")).hasSize(2);
    }

    private void commitTwice(String options) throws Exception {
        try (TcpProxy proxy = TcpProxy.open("test", List.of(SERVER.get().port()), Recorder::new);
                Connection connection =
                        DriverManager.getConnection(PostgresServer.url(proxy.port()) + "?user=postgres" + options)) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 2; i++) {
                connection.createStatement().execute("SELECT 7");
                connection.commit();
            }
        }
    }

    private final class Recorder implements Relay {

        private final MessageSplitter splitter = MessageSplitter.ofClient();

        @Override
        public void fromClient(Link link, byte[] bytes, int length) throws IOException {
            splitter.feed(bytes, length, message -> {
                switch (message.type()) {
                    case Message.PARSE -> sent.add("P " + String.join(" ", message.strings(2)));
                    case Message.BIND -> sent.add("B " + message.strings(2)[1]);
                    case Message.QUERY -> sent.add("Q " + message.strings(1)[0]);
                    default -> {}
                }
            });
            link.toServer(bytes, length);
        }

        @Override
        public void fromServer(Link link, byte[] bytes, int length) throws IOException {
            link.toClient(bytes, length);
        }
    }
}
