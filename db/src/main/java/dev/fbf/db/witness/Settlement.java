package dev.fbf.db.witness;

import dev.fbf.db.TransactionOutcome;

/**
 * What became of a transaction whose COMMIT was in doubt, as {@link WitnessTable#settle} found out.
 *
 * @param outcome whether it committed
 * @param token the token that the slot's row has now, with which the slot's next transaction begins;
 *     {@link WitnessTable#NO_TOKEN} if there is no row, and for {@link TransactionOutcome#STILL_RUNNING}, which read none
 */
record Settlement(TransactionOutcome outcome, long token) {}
