package dev.fbf.loadtest.torture.client;

import dev.fbf.loadtest.torture.client.History.Attempt;
import dev.fbf.loadtest.torture.client.History.Kind;
import dev.fbf.loadtest.torture.client.History.Outcome;
import dev.fbf.loadtest.torture.client.Operations.Target;

/** A history in which each operation is sent once, for tests. */
public final class KnownHistory {

    private final History history = new History();
    private final Operations operations;

    public KnownHistory(Operations operations) {
        this.operations = operations;
    }

    public History history() {
        return history;
    }

    /** The next operation on such a target, whose only request was acknowledged; those that come by before are cut. */
    public long acknowledged(Target target) {
        return next(target, Outcome.ACKNOWLEDGED);
    }

    /** One whose only request was cut. */
    public long cut(Target target) {
        return next(target, Outcome.CUT);
    }

    private long next(Target target, Outcome outcome) {
        while (operations.target(history.operations()) != target) {
            add(Outcome.CUT);
        }
        return add(outcome);
    }

    private long add(Outcome outcome) {
        long operation = history.beginOperation();
        history.add(new Attempt(operation, 10, 7, outcome == Outcome.CUT ? 0 : 200, outcome, Kind.FIRST));
        return operation;
    }
}
