package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.client.Fleet;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Looks at the filters of all nodes several times a second, in a thread of its own. */
final class FilterWatch {

    private static final long MILLIS_BETWEEN_LOOKS = 200;

    private final List<Node> nodes;
    private final Fleet fleet;
    private final Thread thread = new Thread(this::run, "watch-filters");
    private long begun;
    private volatile boolean ended;
    private volatile @Nullable Throwable failure;

    private FilterWatch(List<Node> nodes, Fleet fleet) {
        this.nodes = nodes;
        this.fleet = fleet;
        thread.setDaemon(true);
    }

    static FilterWatch start(List<Node> nodes, Fleet fleet) {
        FilterWatch watch = new FilterWatch(nodes, fleet);
        watch.thread.start();
        return watch;
    }

    /** Takes a last look. */
    void finish() throws InterruptedException {
        ended = true;
        thread.join();
        Throwable thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("the filters could not be watched", thrown);
        }
    }

    private void run() {
        try {
            while (!ended) {
                TimeUnit.MILLISECONDS.sleep(MILLIS_BETWEEN_LOOKS);
                look();
            }
            look();
        } catch (Exception e) {
            failure = e;
        }
    }

    private void look() throws IOException {
        long before = begun;
        begun = fleet.begun();
        // which node an operation goes to is chance: each is taken to have had all of them
        for (Node node : nodes) {
            node.tally().look(node.filter().look(), begun - before);
        }
    }
}
