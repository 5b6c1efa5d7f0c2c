package dev.fbf.spring.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import dev.fbf.cassandra.CassandraForTests;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(120)
@ExtendWith(TwoNodes.class)
@Tag("slow")
class CassandraOutageTest {

    @Test
    void whileCassandraDoesNotRespondOperationsAreRefusedAndLaterTheirRetriesAreCountedOnce() throws Exception {
        try (TcpProxy proxy = TcpProxy.open(
                        "cassandra", List.of(CassandraForTests.address().getPort()), () -> Relay.PLAIN);
                CountingNode cutOff = TwoNodes.startThrough(
                        proxy.port(), "fbf.cassandra.request-timeout=500ms", "fbf.counters.timeout=1s")) {
            long before = Long.parseLong(
                    cutOff.post("/pages/cut-off/views", "before-the-outage").body());

            proxy.loseResponses(1, 1);
            HttpResponse<String> refused = cutOff.post("/pages/cut-off/views", "during-the-outage");
            String health = cutOff.health().body();
            proxy.heal();

            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(health).contains("\"failures\":{\"views\":");
            Awaitility.await()
                    .until(() -> cutOff.post("/pages/cut-off/views", "during-the-outage")
                                    .statusCode()
                            == 200);
            assertThat(TwoNodes.first()
                            .post("/pages/cut-off/views", "after-the-outage")
                            .body())
                    .isEqualTo(String.valueOf(before + 2));
            assertThat(cutOff.bean(CqlSession.class)
                            .getContext()
                            .getConfig()
                            .getDefaultProfile()
                            .getDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY))
                    .as("a longer outage ends as soon")
                    .isEqualTo(Duration.ofSeconds(1));
        }
    }
}
