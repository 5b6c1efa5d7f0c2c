package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.client.Fleet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Looks at the filters of all nodes several times a second, in a thread of its own. */
final class FilterWatch {

    private static final long MILLIS_BETWEEN_LOOKS = 200;

    private final List<Node> nodes;
    private final Fleet fleet;
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "watch-filters");
        thread.setDaemon(true);
        return thread;
    });
    private final ScheduledFuture<?> looks;
    private long begun;

    FilterWatch(List<Node> nodes, Fleet fleet) {
        this.nodes = nodes;
        this.fleet = fleet;
        looks = executor.scheduleWithFixedDelay(
                this::look, MILLIS_BETWEEN_LOOKS, MILLIS_BETWEEN_LOOKS, TimeUnit.MILLISECONDS);
    }

    /** Takes a last look. */
    void finish() throws InterruptedException {
        executor.shutdown();
        if (!executor.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("a look at the filters does not end");
        }
        if (!looks.isCancelled()) {
            try {
                looks.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("the filters could not be watched", e);
            }
        }
        look();
    }

    private void look() {
        long before = begun;
        begun = fleet.begun();
        try {
            // which node an operation goes to is chance: each is taken to have had all of them
            for (Node node : nodes) {
                node.tally().look(node.filter().look(), begun - before);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
