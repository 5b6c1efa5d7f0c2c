package dev.fbf.spring.operation;

import dev.fbf.spring.SqlCounters;

/** Two {@link SqlCounters} have one scope, so that the operations of one could be taken for retries of the other's. */
final class EqualScopesException extends StartException {

    private static final long serialVersionUID = 1L;

    EqualScopesException(String scope) {
        super(
                "Two SqlCounters have the scope " + scope
                        + ": an operation of one could be taken for a retry of an operation of the other.",
                "Give each a scope of its own: SqlCounters.Builder.scope(\"…\"). One that has been in use keeps "
                        + scope
                        + ": an operation is known by the scope it was applied in. Where both should be the same counters,"
                        + " define one singleton bean.",
                null);
    }
}
