package dev.fbf.loadtest.torture.wire;

import java.time.Duration;

/**
 * Something that happens once, to the next batch of its moment.
 *
 * @param time how long a batch is held or delayed, at most
 * @param call what is run, by the connection's thread, just after the batch was sent
 */
public record Interception(Moment moment, Action action, Duration time, Runnable call) {

    public Interception(Moment moment, Action action, Duration time) {
        this(moment, action, time, () -> {});
    }

    public static Interception callAfter(Moment moment, Runnable call) {
        return new Interception(moment, Action.CALL_AFTER, Duration.ZERO, call);
    }

    public enum Action {
        /** Never reaches the server: both sides are reset. */
        CUT_BEFORE,
        /** Reaches the server, and nothing more does; its response does not reach the client, whose side is closed. */
        CUT_AFTER,
        /** The client's side is reset at once; the server's stays open, and gets the batch late, and nothing more. */
        HOLD,
        /** Both sides stay open, and the batch is late. */
        DELAY,
        /** The batch, then the call, without a wait for the response. */
        CALL_AFTER
    }

    /** The steps of a guarded transaction that a proxy can tell apart. */
    public enum Moment {
        /** The statement that turns the witness, and whatever is sent with it. */
        WITNESS,
        /** What is executed after the witness and before COMMIT. */
        STATEMENT,
        COMMIT,
        /** A statement that commits by itself: that of a group. */
        GROUP
    }
}
