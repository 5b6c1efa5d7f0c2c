package dev.fbf.core.guard;

/**
 * Policy for retries of applied operations when the database has forgotten commits, so that the node remembers operations
 * that the database lacks.
 */
public enum AfterLostCommits {
    /** Responds to them as applied and logs an error: what was lost stays lost. */
    WARN,
    /** Refuses them until an operator has decided. New operations are applied. */
    REFUSE
}
