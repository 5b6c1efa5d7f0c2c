package dev.fbf.loadtest.torture.pgwire;

import java.time.Duration;

/**
 * Something that happens once, to the next batch of its moment.
 *
 * @param time how long a batch is held or delayed, at most
 * @param call what is run, by the connection's thread, while the batch waits or just after it was sent
 */
public record Interception(Moment moment, Action action, Duration time, Runnable call) {

    /** What happens to the batch. */
    public enum Action {
        /** Never reaches the server: both sides are reset. */
        CUT_BEFORE,
        /** Reaches the server; its response does not reach the client, whose side is reset. */
        CUT_AFTER,
        /** The client's side is reset at once; the server's stays open, and gets the batch late, and nothing more. */
        HOLD,
        /**
         * As {@link #HOLD}, with a COMMIT behind the batch. No client has sent that one: a client that takes a connection
         * lost before its COMMIT for a rollback is right.
         */
        HOLD_THEN_COMMIT,
        /** Both sides stay open, and the batch is late. */
        DELAY,
        /** The call, then the batch. */
        CALL_BEFORE,
        /** The batch, then the call, without a wait for the response. */
        CALL_AFTER
    }

    public static Interception cutBefore(Moment moment) {
        return new Interception(moment, Action.CUT_BEFORE, Duration.ZERO, Interception::nothing);
    }

    public static Interception cutAfter(Moment moment) {
        return new Interception(moment, Action.CUT_AFTER, Duration.ZERO, Interception::nothing);
    }

    public static Interception hold(Moment moment, Duration time) {
        return new Interception(moment, Action.HOLD, time, Interception::nothing);
    }

    public static Interception holdThenCommit(Moment moment, Duration time) {
        return new Interception(moment, Action.HOLD_THEN_COMMIT, time, Interception::nothing);
    }

    public static Interception delay(Moment moment, Duration time) {
        return new Interception(moment, Action.DELAY, time, Interception::nothing);
    }

    public static Interception callBefore(Moment moment, Runnable call) {
        return new Interception(moment, Action.CALL_BEFORE, Duration.ZERO, call);
    }

    public static Interception callAfter(Moment moment, Runnable call) {
        return new Interception(moment, Action.CALL_AFTER, Duration.ZERO, call);
    }

    private static void nothing() {}

    /** The steps of a guarded transaction that a proxy can tell apart. */
    public enum Moment {
        /** The statement that turns the witness, and whatever is sent with it. */
        WITNESS,
        /** What is executed after the witness and before COMMIT. */
        STATEMENT,
        /** COMMIT. */
        COMMIT,
        /** A statement that commits by itself: that of a group. */
        GROUP
    }

    /** What became of a batch that was sent without its client. */
    public enum Delivery {
        /** The server said that it committed. */
        COMMITTED,
        /** The server said that it rolled back. */
        ROLLED_BACK,
        /** The server executed it, and the transaction stayed open. */
        EXECUTED,
        /** The server answered with an error. */
        REFUSED,
        /** The server was gone, or did not answer in time. */
        UNKNOWN
    }
}
