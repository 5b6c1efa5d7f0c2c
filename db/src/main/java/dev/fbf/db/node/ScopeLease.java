package dev.fbf.db.node;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.node.NodeStanding.Right;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this process may do in one scope of a database, and until when. One thread writes, many read. */
final class ScopeLease {

    private static final Logger log = LoggerFactory.getLogger(ScopeLease.class);

    /** A standing and when it was asked for. */
    private record Term(NodeStanding standing, Moment askedAt) {}

    private final String scope;
    private final SeenRows seen = new SeenRows(System::nanoTime);

    private volatile @Nullable Term term;
    private volatile boolean registered;
    private final AtomicBoolean used = new AtomicBoolean();

    /** Whether operations were being applied, or admitted before, when that was asked last. Only one thread at a time asks. */
    private boolean usedBefore;

    ScopeLease(String scope) {
        this.scope = scope;
    }

    String scope() {
        return scope;
    }

    /** The rows of the scope in the registry, as this process has seen them. Only one thread at a time uses them. */
    SeenRows seen() {
        return seen;
    }

    /** Notes that an operation may be applied now; returns whether it may. */
    boolean use() {
        if (!isValid()) {
            return false;
        }
        if (!used.get()) {
            used.set(true);
        }
        return true;
    }

    /**
     * Whether operations may have been applied since this was asked last. One that was admitted or being applied then may have been:
     * its transaction can end at any time after its admission.
     *
     * @param applying whether operations are being applied now
     */
    boolean takeUsed(boolean applying) {
        boolean before = usedBefore;
        usedBefore = used.getAndSet(false) || applying;
        return usedBefore || before;
    }

    /** Takes back that {@link #takeUsed} was told so: it could not be written down. */
    void giveBackUsed() {
        used.set(true);
    }

    boolean isValid() {
        Term now = term;
        return now != null && now.standing.right() == Right.APPLY && now.askedAt.isWithin(NodeTable.LEASE);
    }

    /** Whether the row in the registry is to be renewed, and not to be written anew. */
    boolean isHeld() {
        Term now = term;
        return now != null && now.standing.right() == Right.APPLY && now.standing.other() == null;
    }

    /** Whether the registry has said what this process may do. */
    boolean isDecided() {
        return term != null;
    }

    /** What this process had when it asks the registry. */
    NodeTable.Before before() {
        if (!registered) {
            return NodeTable.Before.NOTHING;
        }
        return isValid() ? NodeTable.Before.LEASE : NodeTable.Before.LAPSED;
    }

    /** Whether this process has had a row in the registry. */
    boolean isRegistered() {
        return registered;
    }

    /** The process that keeps this one from applying operations by being alive; null if there is none. */
    @Nullable OtherNode inTheWay() {
        Term now = term;
        return now != null && now.standing.right() == Right.NONE ? now.standing.other() : null;
    }

    /** Why operations may not be applied now; null if they may. */
    @Nullable Refusal refusal() {
        Term now = term;
        if (now == null) {
            return Refusal.UNCONFIRMED;
        }
        return switch (now.standing.right()) {
            case APPLY -> isValid() ? null : Refusal.UNCONFIRMED;
            case HOLD_BACK -> Refusal.HELD_BACK;
            case NONE -> Refusal.OTHER_NODE;
        };
    }

    /** Time until operations are no longer held back; zero if they are not. */
    Duration heldBackFor() {
        Term now = term;
        if (now == null || now.standing.right() != Right.HOLD_BACK) {
            return Duration.ZERO;
        }
        Duration rest = now.standing.holdBack().minusNanos(System.nanoTime() - now.askedAt.nanos());
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    /** Why operations are refused, or what other processes do here beside this one; null if nothing is in the way. */
    @Nullable String obstacle() {
        Term now = term;
        if (refusal() == Refusal.UNCONFIRMED) {
            return "Scope " + scope
                    + ": operations are refused until the database confirms in the registry of nodes that"
                    + " this process may apply them.";
        }
        OtherNode other = now == null ? null : now.standing.other();
        if (now == null || other == null) {
            return null;
        }
        return switch (now.standing.right()) {
            case APPLY ->
                "Scope " + scope + ": " + other + " also applies operations. Neither process recognizes retries of the"
                        + " other's operations.";
            case HOLD_BACK ->
                "Scope " + scope + ": operations are refused for " + print(heldBackFor())
                        + ". Until then retries can arrive" + " of operations that " + other
                        + " applied before it ended.";
            case NONE -> "Scope " + scope + ": operations are refused. Another process applies them: " + other + ".";
        };
    }

    void renewed(Moment askedAt) {
        Term before = Objects.requireNonNull(term);
        term = new Term(before.standing, askedAt);
    }

    void set(NodeStanding standing, Moment askedAt) {
        Term before = term;
        term = new Term(standing, askedAt);
        registered |= standing.right() != Right.NONE;
        if (before == null || !isSame(before.standing, standing)) {
            log(before, standing);
        }
    }

    /** Forgets what this process may do, as before it was registered. */
    void reset() {
        term = null;
    }

    private static boolean isSame(NodeStanding one, NodeStanding other) {
        return one.right() == other.right() && Objects.equals(id(one), id(other));
    }

    private static @Nullable Object id(NodeStanding standing) {
        return standing.other() == null ? null : standing.other().id();
    }

    private void log(@Nullable Term before, NodeStanding now) {
        String obstacle = obstacle();
        if (obstacle == null) {
            if (before != null) {
                log.atInfo()
                        .addKeyValue("scope", scope)
                        .log("Operations of the scope {} are applied from now on.", scope);
            }
        } else if (now.right() == Right.HOLD_BACK) {
            log.atWarn()
                    .addKeyValue("scope", scope)
                    .log(
                            "{} To avoid this wait, keep the directory (fbf.directory) when a process is replaced, or"
                                    + " leave the scope in ledger mode.",
                            obstacle);
        } else {
            log.atError().addKeyValue("scope", scope).log(obstacle);
        }
    }

    /** As in 9m58s. */
    private static String print(Duration time) {
        return Duration.ofSeconds(time.toSeconds() + 1).toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
