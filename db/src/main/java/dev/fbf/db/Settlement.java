package dev.fbf.db;

/**
 * What became of a transaction whose COMMIT was in doubt, as {@link WitnessTable#settle} found out.
 *
 * @param outcome whether it committed
 * @param token the token that the slot's row has now, with which the slot's next transaction begins;
 *     {@link WitnessTable#NO_TOKEN} if there is no row, and for {@link Outcome#STILL_RUNNING}, which read none
 */
public record Settlement(Outcome outcome, long token) {

    /** The four answers; the first two are final. */
    public enum Outcome {
        /** The transaction committed. */
        COMMITTED,
        /** The transaction did not commit, and never can. */
        NOT_COMMITTED,
        /** Somebody holds the slot's row, most likely the transaction itself: settle again later. */
        STILL_RUNNING,
        /**
         * The row tells of neither: the database went back in time, or a second process has this node's name. Nobody
         * can say from here whether the transaction committed.
         */
        UNKNOWN
    }
}
