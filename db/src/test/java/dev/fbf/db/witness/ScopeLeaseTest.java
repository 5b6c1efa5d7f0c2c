package dev.fbf.db.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Refusal;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a lease lasts. */
class ScopeLeaseTest {

    private static final Standing HELD = Standing.held(
            new NodeLease.Self(UUID.randomUUID(), UUID.randomUUID(), false, "a test's process"));

    private final ScopeLease lease = new ScopeLease("views", its -> {}, () -> false);

    @BeforeEach
    void hold() {
        lease.set(HELD, Moment.now());
    }

    @Test
    void anOperationThatComesAtTheEndIsRefused() {
        ScopeLease ended = new ScopeLease("views", its -> {}, () -> true);
        ended.set(HELD, Moment.now());

        assertThat(ended.use()).isEqualTo(Refusal.STOPPED);
    }

    @Test
    void theFirstOperationOfAScopeAsksTheRegistry() {
        ScopeLease asked = new ScopeLease("views", its -> its.set(HELD, Moment.now()), () -> false);

        assertThat(asked.use()).isNull();
    }

    /** The monotonic clock stops while the host sleeps, and the wall clock may be set. */
    @ParameterizedTest
    @CsvSource({"0, 20, true", "20, 0, true", "0, 30, false", "30, 0, false", "0, -30, false"})
    void aLeaseLastsForItsTimeByBothClocks(long secondsOfMonotonic, long secondsOfWall, boolean isValid) {
        Moment now = Moment.now();

        lease.set(
                HELD,
                new Moment(
                        now.nanos() - TimeUnit.SECONDS.toNanos(secondsOfMonotonic),
                        now.wallMillis() - TimeUnit.SECONDS.toMillis(secondsOfWall)));

        assertThat(lease.use()).isEqualTo(isValid ? null : Refusal.UNCONFIRMED);
    }

    @Test
    void operationsAreHeldBackForTheRestOfTheTimeInWhichRetriesOfAnothersCanCome() {
        Duration rest = Duration.ofMinutes(10);
        lease.set(new Standing(Standing.State.HELD_BACK, rest, UUID.randomUUID(), "node x"), Moment.now());

        assertThat(lease.use()).isEqualTo(Refusal.HELD_BACK);
        assertThat(lease.heldBackFor()).isBetween(rest.minusMinutes(1), rest.minusNanos(1));
        assertThat(lease.obstacle())
                .startsWith("Scope views: operations are refused for ")
                .contains(" node x applied.");

        lease.set(HELD, Moment.now());
        assertThat(lease.heldBackFor()).isZero();
        assertThat(lease.obstacle()).isNull();
    }
}
