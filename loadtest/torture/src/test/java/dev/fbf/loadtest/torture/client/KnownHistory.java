package dev.fbf.loadtest.torture.client;

import dev.fbf.loadtest.torture.client.Attempt.Outcome;

/** A history of one client that sends each operation once, for tests. */
public final class KnownHistory {

    private final History history = new History();
    private final ClientLog log = new ClientLog();

    public KnownHistory() {
        history.add(log);
    }

    public History history() {
        return history;
    }

    /** An operation whose only request was acknowledged. */
    public long acknowledged() {
        return add(Outcome.ACKNOWLEDGED, 200, false);
    }

    /** An operation whose only request was acknowledged as if it had come before. */
    public long replayedAtFirst() {
        return add(Outcome.ACKNOWLEDGED, 200, true);
    }

    /** An operation whose only request was cut. */
    public long cut() {
        return add(Outcome.CUT, 0, false);
    }

    /** One more request for an operation that was cut. */
    public void retried(long operation) {
        log.add(new Attempt(Operations.index(operation), 70, 5, 200, Outcome.ACKNOWLEDGED, Attempt.Kind.RETRY, true));
    }

    private long add(Outcome outcome, int status, boolean replayed) {
        int index = log.begin();
        log.add(new Attempt(index, 10, 7, status, outcome, Attempt.Kind.FIRST, replayed));
        return Operations.number(0, index);
    }
}
