package dev.fbf.core.claim;

/** The guard's response to a request: a {@link Claim} to apply the operation, or the reason for a refusal. */
public sealed interface Admission permits Claim, Refusal {}
