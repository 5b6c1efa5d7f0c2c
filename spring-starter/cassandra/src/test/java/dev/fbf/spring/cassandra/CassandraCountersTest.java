package dev.fbf.spring.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.Counters;
import dev.fbf.spring.CountersContract;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.OperationInProgressException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Counters of two nodes on one lane. */
@Timeout(120)
@ExtendWith(TwoNodes.class)
class CassandraCountersTest extends CountersContract {

    @Override
    protected Counters counters() {
        return TwoNodes.first().counters("counters");
    }

    @Override
    protected Counters ofAnotherScope() {
        return TwoNodes.first().counters("views");
    }

    @Override
    protected Views views() {
        return TwoNodes.first().bean(Views.class);
    }

    @Override
    protected Counters afterARestart() throws Exception {
        TwoNodes.restartOther();
        return TwoNodes.other().counters("counters");
    }

    @Test
    void callersOfBothNodesCountExactlyThoughEachOperationIsSentTwice() throws Exception {
        List<CassandraCounters> nodes =
                List.of(TwoNodes.first().counters("counters"), TwoNodes.other().counters("counters"));
        ExecutorService callers = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Long>> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                IdempotencyKey key = IdempotencyKey.of("operation " + i);
                nodes.forEach(node -> calls.add(() -> untilApplied(node, key)));
            }
            for (Future<Long> call : callers.invokeAll(calls)) {
                call.get();
            }
        } finally {
            callers.shutdownNow();
        }

        assertThat(counters().value("crowd")).hasValue(200);
    }

    private static long untilApplied(CassandraCounters node, IdempotencyKey key) throws InterruptedException {
        while (true) {
            try {
                return node.increment(key, "crowd", 1);
            } catch (OperationInProgressException e) {
                Thread.sleep(1);
            }
        }
    }
}
