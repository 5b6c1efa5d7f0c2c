package dev.fbf.spring.test;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.SqlCounters;
import java.util.concurrent.CountDownLatch;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Guarded handlers. */
@RestController
class Orders {

    private final SqlCounters counters;

    /** Opened by an order that has counted, which then waits for the gate. */
    private volatile CountDownLatch counted = new CountDownLatch(0);

    private volatile CountDownLatch gate = new CountDownLatch(0);

    Orders(SqlCounters counters) {
        this.counters = counters;
    }

    void hold(CountDownLatch entered, CountDownLatch opened) {
        counted = entered;
        gate = opened;
    }

    @PostMapping("/orders/{item}")
    @IdempotentIncrement(scope = "orders")
    String order(@PathVariable String item, @RequestBody(required = false) String text) throws InterruptedException {
        long count = counters.increment(item);
        counted.countDown();
        gate.await();
        if ("fail".equals(text)) {
            throw new IllegalStateException("the order has failed");
        }
        return item + " " + count;
    }

    @PostMapping("/visits/{item}")
    @IdempotentIncrement(scope = "visits", onDuplicate = "visited")
    long visit(@PathVariable String item) {
        return counters.increment(item);
    }

    @PostMapping("/views/{item}")
    long view(@PathVariable String item, IdempotencyKey key) {
        return counters.increment(key, item, 1);
    }

    @PostMapping("/views/{item}/twice")
    @Transactional
    long viewTwice(@PathVariable String item, IdempotencyKey key) {
        counters.increment(key, item, 1);
        return counters.increment(key, item, 1);
    }

    @PostMapping("/views/{item}/apart")
    long viewApart(@PathVariable String item, IdempotencyKey key) {
        counters.increment(key, item, 1);
        return counters.increment(key, item, 1);
    }

    long visited(String item) {
        return -counters.value(item).orElse(0);
    }
}
