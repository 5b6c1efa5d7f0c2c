package dev.fbf.loadtest.torture.agent;

/** A rule of the protocol that is broken on purpose, so that the torture is seen to find it. */
public enum Broken {
    /** The filter is asked before the operation is claimed. */
    FILTER_BEFORE_CLAIM,
    /** The claim is not in the file when the transaction begins. */
    CLAIM_NOT_WRITTEN,
    /** The claim is freed before the filter holds the operation. */
    FREED_BEFORE_PUT,
    /** What is in doubt is settled by reading the witness, without a fence. */
    NO_FENCE,
    /** What was committed in a group of several is not put in the filter. */
    GROUP_NOT_PUT,
    /** Callers are told that their operations were applied while their group of several is in doubt. */
    GROUP_IN_DOUBT_ACKNOWLEDGED
}
