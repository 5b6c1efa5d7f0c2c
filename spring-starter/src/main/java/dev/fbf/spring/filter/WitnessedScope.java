package dev.fbf.spring.filter;

import dev.fbf.core.DurationText;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.spring.Mode;
import dev.fbf.spring.transaction.NodeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Open scope in filter mode. */
record WitnessedScope(ScopeClaims witnessed, Node node) implements NodeStatus.OpenScope {

    @Override
    public String name() {
        return witnessed.scope();
    }

    @Override
    public Mode mode() {
        return Mode.FILTER;
    }

    @Override
    public Duration retryWindow() {
        return witnessed.retryWindow();
    }

    @Override
    public int claims() {
        return witnessed.held();
    }

    @Override
    public List<String> obstacles() {
        List<String> obstacles = new ArrayList<>();
        if (witnessed.isRecovering()) {
            obstacles.add("Scope " + name()
                    + ": operations are refused until the database has been asked about all transactions"
                    + " that the previous process left in doubt.");
        }
        Duration rest = witnessed.heldBackFor();
        if (!rest.isZero()) {
            obstacles.add("Scope " + name() + ": operations are refused for " + DurationText.of(rest)
                    + ". The filter may lack operations after a power failure, or because files are missing or"
                    + " old; retries of missing operations can arrive until then.");
        }
        return obstacles;
    }

    @Override
    public @Nullable Throwable failure() {
        return node.failure(name());
    }

    @Override
    public @Nullable Instant lostCommits() {
        return witnessed.lostCommits();
    }

    @Override
    public void acceptLostCommits() {
        witnessed.acceptLostCommits();
    }
}
