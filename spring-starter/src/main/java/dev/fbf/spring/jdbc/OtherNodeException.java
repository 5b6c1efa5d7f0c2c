package dev.fbf.spring.jdbc;

import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.StartException;
import java.nio.file.Path;

/** Signals that another process applies operations of a scope, whose retries this process would not recognize. */
final class OtherNodeException extends StartException {

    private static final long serialVersionUID = 1L;

    OtherNodeException(String scope, Mode mode, String other, Path directory) {
        super(
                "Another process applies operations of the scope " + scope + ": " + other
                        + ". This process would not recognize their retries, and would apply them again.",
                mode == Mode.FILTER
                        ? "If several processes are meant to serve the scope, leave it in ledger mode in all of them."
                                + " Or let a load balancer always send each key to the same process, and give each"
                                + " process its own schema (property fbf.schema.name). If this process replaces the"
                                + " other one, stop the other one first, and give this one its directory (property"
                                + " fbf.directory, now " + directory.toAbsolutePath() + ")."
                        : "Stop the other process first: its operations are not in the ledger. A change of the mode is"
                                + " described in UPGRADING.md.",
                null);
    }
}
