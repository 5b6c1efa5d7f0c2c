package dev.fbf.loadtest.torture.client;

import dev.fbf.loadtest.torture.client.Attempt.Kind;
import dev.fbf.loadtest.torture.client.Attempt.Outcome;
import dev.fbf.loadtest.torture.client.Operations.Target;

/** A history of one client that sends each operation once, for tests. */
public final class KnownHistory {

    private final History history = new History();
    private final History.Log log = history.newLog();
    private final Operations operations;

    public KnownHistory(Operations operations) {
        this.operations = operations;
    }

    public History history() {
        return history;
    }

    /** The next operation on such a target, whose only request was acknowledged; those that come by before are cut. */
    public long acknowledged(Target target) {
        return next(target, Outcome.ACKNOWLEDGED, false);
    }

    /** One whose only request was acknowledged as if it had come before. */
    public long replayedAtFirst(Target target) {
        return next(target, Outcome.ACKNOWLEDGED, true);
    }

    /** One whose only request was cut. */
    public long cut(Target target) {
        return next(target, Outcome.CUT, false);
    }

    /** One more request for an operation that was cut. */
    public void retried(long operation) {
        log.add(new Attempt(Operations.index(operation), 70, 5, 200, Outcome.ACKNOWLEDGED, Kind.RETRY, true));
    }

    private long next(Target target, Outcome outcome, boolean replayed) {
        while (operations.target(Operations.number(0, (int) history.operations())) != target) {
            add(Outcome.CUT, false);
        }
        return add(outcome, replayed);
    }

    private long add(Outcome outcome, boolean replayed) {
        int index = log.begin();
        log.add(new Attempt(index, 10, 7, outcome == Outcome.CUT ? 0 : 200, outcome, Kind.FIRST, replayed));
        return Operations.number(0, index);
    }
}
