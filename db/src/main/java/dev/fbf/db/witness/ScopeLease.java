package dev.fbf.db.witness;

import dev.fbf.core.DurationText;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.witness.Standing.State;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This process's standing in one scope of a database, and the time of its confirmation by the registry. One thread at a time writes it. */
public final class ScopeLease {

    private static final Logger log = LoggerFactory.getLogger(ScopeLease.class);

    /** A standing, and the time of the query for it. */
    private record Term(Standing standing, Moment queriedAt) {}

    private final String scope;
    private final Consumer<ScopeLease> confirmation;
    private final BooleanSupplier isEnded;

    private volatile Term term = new Term(Standing.UNKNOWN, Moment.now());

    /** Whether the registry has decided on this process once, even if it has refused it. */
    private volatile boolean started;

    /**
     * Creates a lease that the registry has not decided on.
     *
     * @param confirmation called for an operation while the lease is not confirmed; may ask the registry
     * @param isEnded whether this process applies no more operations
     */
    ScopeLease(String scope, Consumer<ScopeLease> confirmation, BooleanSupplier isEnded) {
        this.scope = scope;
        this.confirmation = confirmation;
        this.isEnded = isEnded;
    }

    String scope() {
        return scope;
    }

    Standing standing() {
        return term.standing;
    }

    boolean isDecided() {
        return term.standing.state() != State.UNKNOWN;
    }

    /** Returns whether operations may be applied now. */
    boolean isValid() {
        return refusal() == null;
    }

    /** Returns whether the registry must still decide on this process: it has not responded, or refused it. */
    boolean isUnregistered() {
        return !isDecided() || standing().state() == State.REFUSED;
    }

    /** Returns whether the registry has not decided on this process yet. */
    boolean isStart() {
        return !started;
    }

    /** Returns the reason to refuse operations now; null if they are admitted. */
    @Nullable Refusal refusal() {
        Term now = term;
        return switch (now.standing.state()) {
            case UNKNOWN -> Refusal.UNCONFIRMED;
            case HELD -> now.queriedAt.isWithin(LeaseTable.LEASE) ? null : Refusal.UNCONFIRMED;
            case HELD_BACK -> Refusal.HELD_BACK;
            case REFUSED, TURNED, ELSEWHERE -> Refusal.OTHER_NODE;
        };
    }

    /** {@return the reason to refuse an operation now; null if it is admitted} */
    public @Nullable Refusal use() {
        Refusal refusal = refusal();
        if (refusal == Refusal.UNCONFIRMED) {
            confirmation.accept(this);
            refusal = refusal();
        }
        return isEnded.getAsBoolean() ? Refusal.STOPPED : refusal;
    }

    /** {@return the remaining time in which operations are refused with {@link Refusal#HELD_BACK}; zero if they are not} */
    public Duration heldBackFor() {
        Term now = term;
        if (now.standing.state() != State.HELD_BACK) {
            return Duration.ZERO;
        }
        Duration rest = now.standing.rest().minusNanos(System.nanoTime() - now.queriedAt.nanos());
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    /** Returns the reason why operations are refused; null if they are not. */
    @Nullable String obstacle() {
        Refusal refusal = refusal();
        if (refusal == null) {
            return null;
        }
        Standing now = standing();
        return "Scope " + scope + ": operations are refused"
                + switch (refusal) {
                    case HELD_BACK ->
                        " for " + DurationText.of(heldBackFor())
                                + ". Until then, retries can arrive of operations that " + now.whose() + " applied.";
                    case OTHER_NODE ->
                        switch (now.state()) {
                            case TURNED ->
                                ". Another process has turned the scope to ledger mode. Stop this process; or restart"
                                        + " it, to turn the scope back to filter mode (fbf.mode).";
                            case ELSEWHERE ->
                                " in this database, because this process applies them in another one. In filter mode a scope"
                                        + " belongs to one database: name another scope.";
                            default -> ". Another process applies them: " + now.whose() + ".";
                        };
                    default ->
                        " until the database confirms in the registry of nodes that this process may apply them.";
                };
    }

    void renewed(Moment queriedAt) {
        term = new Term(standing(), queriedAt);
    }

    void set(Standing standing, Moment queriedAt) {
        Standing before = standing();
        term = new Term(standing, queriedAt);
        started = true;
        if (!before.isLike(standing)) {
            log(before, standing);
        }
    }

    /** Clears the standing. */
    void reset() {
        term = new Term(Standing.UNKNOWN, Moment.now());
    }

    private void log(Standing before, Standing now) {
        String obstacle = obstacle();
        if (obstacle == null && before.state() != State.UNKNOWN) {
            log.atInfo().addKeyValue("scope", scope).log("Operations of the scope {} are applied from now on.", scope);
        } else if (now.state() == State.HELD_BACK) {
            log.atWarn()
                    .addKeyValue("scope", scope)
                    .log(
                            "{} To avoid this wait, keep the directory (fbf.directory) when a process is replaced, or"
                                    + " leave the scope in ledger mode.",
                            obstacle);
        } else if (obstacle != null) {
            log.atError().addKeyValue("scope", scope).log(obstacle);
        }
    }
}
