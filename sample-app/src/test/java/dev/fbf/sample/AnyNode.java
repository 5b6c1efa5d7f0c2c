package dev.fbf.sample;

import java.net.URI;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Nodes behind a balancer that knows nothing of keys: a try goes to any of them, whichever the one before went to. */
final class AnyNode {

    private final List<URI> nodes;

    AnyNode(URI... nodes) {
        this.nodes = List.of(nodes);
    }

    /** Where the next try goes. */
    URI any() {
        return nodes.get(ThreadLocalRandom.current().nextInt(nodes.size()));
    }
}
