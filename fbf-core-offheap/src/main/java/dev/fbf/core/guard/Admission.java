package dev.fbf.core.guard;

/** The guard's answer to a request: a {@link Claim} to apply the operation, or why not. */
public sealed interface Admission permits Claim, Refusal {}
