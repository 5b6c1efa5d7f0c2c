package dev.fbf.db.group;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Claims;
import java.time.Duration;

/** Claims of operations that no database has heard of. */
public final class TestClaims {

    private static final int ROOM = 600;
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final Claims claims = new Claims(ROOM, applied -> {});
    private int operations;

    /** Of an operation that is new. */
    public GroupedIncrement increment(String counter, long delta) {
        Claim claim = (Claim) admit(OperationId.of("scope", "", "key" + operations++));
        return increment(claim, counter, delta);
    }

    public static GroupedIncrement increment(Claim claim, String counter, long delta) {
        return new GroupedIncrement(claim, counter, delta);
    }

    /** What the next request for its operation is told. */
    Admission retry(GroupedIncrement increment) {
        return admit(increment.claim().id());
    }

    private Admission admit(OperationId id) {
        return claims.take(id, "scope", WINDOW, null);
    }
}
