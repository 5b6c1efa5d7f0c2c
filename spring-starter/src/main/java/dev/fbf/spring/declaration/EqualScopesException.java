package dev.fbf.spring.declaration;

import dev.fbf.spring.SqlCounters;

/** Two {@link SqlCounters} have one scope, so that the operations of one could be taken for retries of the other's. Stops the start. */
final class EqualScopesException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String scope;

    EqualScopesException(String scope) {
        super("Two SqlCounters have the scope " + scope
                + ": an operation of one could be taken for a retry of an operation of the other.");
        this.scope = scope;
    }

    String action() {
        return "Give each a scope of its own: SqlCounters.Builder.scope(\"…\"). One that has been in use keeps " + scope
                + ": an operation is known by the scope it was applied in. Where both should be the same counters, define"
                + " one singleton bean.";
    }
}
