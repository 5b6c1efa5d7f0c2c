package dev.fbf.db;

import dev.fbf.core.DurationText;
import dev.fbf.core.claim.Refusal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * The permission of this process to apply operations of a scope: UNCONFIRMED → admitted | HELD_BACK | OTHER_NODE, each → any other at a
 * later reading.
 *
 * @param reason the reason to refuse operations; null if they are admitted
 * @param text the end of a sentence for operators
 * @param heldUntil the end of {@link Refusal#HELD_BACK}, by {@link System#nanoTime()}
 * @param holder a description of the live process that holds the scope; null if there is none
 */
public record Standing(
        @Nullable Refusal reason,
        String text,
        long heldUntil,
        @Nullable String holder) {

    public static final Standing ADMITTED = new Standing(null, "", 0, null);

    /** {@return the standing until the database decides, with the end of a sentence for operators} */
    public static Standing unconfirmed(String until) {
        return new Standing(Refusal.UNCONFIRMED, " until the database confirms " + until, 0, null);
    }

    /** {@return the standing beside another process, with a sentence for operators} */
    public static Standing refused(String why, @Nullable String holder) {
        return new Standing(Refusal.OTHER_NODE, ". " + why, 0, holder);
    }

    /** {@return the standing while retries of another process's operations can arrive} */
    public static Standing heldBack(Duration rest, String process, String remedy) {
        return new Standing(
                Refusal.HELD_BACK,
                ". Until then, retries can arrive of operations that " + process + " applied." + remedy,
                System.nanoTime() + rest.toNanos(),
                null);
    }

    /** {@return the remaining time in which operations are held back; zero if they are not} */
    public Duration heldBackFor() {
        return reason == Refusal.HELD_BACK
                ? Duration.ofNanos(Math.max(0, heldUntil - System.nanoTime()))
                : Duration.ZERO;
    }

    /** {@return the reason why operations of a scope are refused, as a sentence for operators} */
    public String obstacle(String scope) {
        return "Scope " + scope + ": operations are refused"
                + (reason == Refusal.HELD_BACK ? " for " + DurationText.of(heldBackFor()) : "")
                + text;
    }

    /** Logs the change from an earlier standing. */
    public void log(Standing before, String scope, Logger log) {
        if (reason == before.reason) {
            return;
        }
        if (reason != null) {
            log.atLevel(reason == Refusal.HELD_BACK ? Level.WARN : Level.ERROR)
                    .addKeyValue("scope", scope)
                    .log(obstacle(scope));
        } else if (before.reason != Refusal.UNCONFIRMED) {
            log.atInfo().addKeyValue("scope", scope).log("Operations of the scope {} are applied from now on.", scope);
        }
    }
}
