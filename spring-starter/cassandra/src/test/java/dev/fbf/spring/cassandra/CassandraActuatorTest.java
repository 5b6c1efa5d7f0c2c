package dev.fbf.spring.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.IdempotencyKey;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.RequiredSearch;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What operators see of the lanes. */
@Timeout(120)
@ExtendWith(TwoNodes.class)
class CassandraActuatorTest {

    @Test
    void theNodeIsReady() throws Exception {
        HttpResponse<String> health = TwoNodes.first().health();

        assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
        assertThat(health.body()).contains("\"fbfCassandra\":{\"status\":\"UP\"}");
    }

    @Test
    void aNodeCountsItsGroups() {
        TwoNodes.first().counters("metered").increment(IdempotencyKey.of("first"), "page", 1);

        DistributionSummary sizes = meter(TwoNodes.first(), "fbf.group.size").summary();
        await().untilAsserted(() -> assertThat(sizes.count()).isEqualTo(1));
        assertThat(sizes.totalAmount()).isEqualTo(1);
    }

    private static RequiredSearch meter(CountingNode node, String name) {
        return node.bean(MeterRegistry.class).get(name).tag("scope", "metered");
    }
}
