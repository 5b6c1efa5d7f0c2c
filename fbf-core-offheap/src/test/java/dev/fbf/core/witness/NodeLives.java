package dev.fbf.core.witness;

import dev.fbf.core.filter.KilledProcess;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A node in files, and those that find its files after it was killed. */
final class NodeLives implements AutoCloseable {

    static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();

    private final Path temporary;
    private final List<Node> lives = new ArrayList<>();

    NodeLives(Path temporary) {
        this.temporary = temporary;
    }

    static Node open(Path directory, int maxClaims) {
        return Node.open(directory, maxClaims, false);
    }

    Node open(int maxClaims) {
        Node node = open(directory(lives.size()), maxClaims);
        lives.add(node);
        return node;
    }

    /** Kills the node as {@code kill -9} does, and opens the next one where it was. */
    Node killAndOpen(int maxClaims) throws IOException {
        KilledProcess.leave(directory(lives.size() - 1), directory(lives.size()));
        return open(maxClaims);
    }

    /** Of the node that is alive. */
    Path directory() {
        return directory(lives.size() - 1);
    }

    @Override
    public void close() {
        lives.forEach(Node::close);
    }

    private Path directory(int life) {
        return temporary.resolve(Integer.toString(life));
    }
}
