package dev.fbf.core.claim;

/** Result of a request for an operation: a {@link Claim} to apply it, or the reason for a refusal. */
public sealed interface Admission permits Claim, Refusal {}
