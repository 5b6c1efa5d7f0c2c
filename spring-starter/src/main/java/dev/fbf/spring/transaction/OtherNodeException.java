package dev.fbf.spring.transaction;

import dev.fbf.spring.operation.StartException;
import java.nio.file.Path;

/** Signals that another process applies operations of a scope, whose retries this process would not recognize. */
final class OtherNodeException extends StartException {

    private static final long serialVersionUID = 1L;

    private OtherNodeException(String what, String action) {
        super(what, action, null);
    }

    /** @param other the other process */
    static OtherNodeException ofFilterMode(String scope, String other, Path directory) {
        return new OtherNodeException(
                "Another process applies operations of the scope " + scope + ": " + other
                        + ". This process would not recognize their retries, and would apply them again.",
                "If several processes are meant to serve the scope, leave it in ledger mode in all of them."
                        + " Or let a load balancer always send each key to the same process, and give each"
                        + " process its own schema (property fbf.schema.name). If this process replaces the"
                        + " other one, stop the other one first, and give this one its directory (property"
                        + " fbf.directory, now " + directory.toAbsolutePath() + ").");
    }

    /** @param reason names the process in filter mode */
    static OtherNodeException ofLedgerMode(String reason) {
        return new OtherNodeException(
                reason,
                "Its operations are not in the ledger: stop that process first. UPGRADING.md describes a change of the"
                        + " mode.");
    }
}
