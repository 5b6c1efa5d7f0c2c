package dev.fbf.db.node;

import java.time.Instant;
import java.util.UUID;

/**
 * Another node that applies operations of the same scope, as the table {@code fbf_node} knows it.
 *
 * @param id its name
 * @param run changes with each start of its process
 * @param process where it runs: host, process number and directory
 * @param mode {@code filter} or {@code ledger}
 * @param startedAt when its process registered, by the database's clock
 * @param seenAt when it last renewed its row, by the database's clock
 */
record OtherNode(UUID id, UUID run, String process, String mode, Instant startedAt, Instant seenAt) {

    @Override
    public String toString() {
        return "node " + id + " (" + process + ", " + mode + " mode, started " + startedAt + ", last seen " + seenAt
                + ")";
    }
}
