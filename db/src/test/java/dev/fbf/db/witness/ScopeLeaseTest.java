package dev.fbf.db.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.core.claim.Refusal;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a lease lasts, and what the registry is told of operations that are applied. */
class ScopeLeaseTest {

    private static final long HOUR = 3_600_000;

    private static final Standing HELD = Standing.held(
            new NodeLease.Self(UUID.randomUUID(), UUID.randomUUID(), false, "a test's process"), Duration.ZERO);

    private final ScopeLease lease = new ScopeLease("views", its -> {}, () -> false);

    @BeforeEach
    void hold() {
        lease.set(HELD, Moment.now());
    }

    @Test
    void aTransactionThatLastsForSeveralRenewalsIsNotedUntilAfterItsEnd() {
        assertThat(lease.use()).isNull();

        assertThat(isNoted(true)).isTrue();
        assertThat(isNoted(true)).isTrue();
        assertThat(isNoted(false)).as("it may have ended since the last time").isTrue();
        assertThat(isNoted(false)).isFalse();
    }

    @Test
    void anOperationThatWasAdmittedAndNotYetClaimedIsNotedOnceMore() {
        lease.use();

        assertThat(isNoted(false)).isTrue();
        assertThat(isNoted(false)).isTrue();
        assertThat(isNoted(false)).isFalse();
    }

    @Test
    void anOperationThatComesAtTheEndIsRefusedAndNoted() {
        ScopeLease ended = new ScopeLease("views", its -> {}, () -> true);
        ended.set(HELD, Moment.now());

        assertThat(ended.use()).isEqualTo(Refusal.STOPPED);
        assertThat(ended.isUsed(false)).isTrue();
    }

    @Test
    void theFirstOperationOfAScopeAsksTheRegistry() {
        ScopeLease asked = new ScopeLease("views", its -> its.set(HELD, Moment.now()), () -> false);

        assertThat(asked.use()).isNull();
    }

    @Test
    void aClockThatIsSetEndsNoLease() {
        Moment now = Moment.now();
        assumeThat(now.uptimeMillis()).as("the uptime is known").isNotNegative();

        for (long step : new long[] {-HOUR, HOUR}) {
            lease.set(HELD, new Moment(now.nanos(), now.wallMillis() - step, now.uptimeMillis()));
            assertThat(lease.use()).isNull();
        }
    }

    @Test
    void aLeaseLapsesWhileTheHostSleeps() {
        Moment now = Moment.now();

        lease.set(HELD, new Moment(now.nanos(), now.wallMillis() - HOUR, now.uptimeMillis() - HOUR));
        assertThat(lease.use()).isEqualTo(Refusal.UNCONFIRMED);
        lease.set(HELD, new Moment(now.nanos(), now.wallMillis() - HOUR, -1));
        assertThat(lease.use()).as("where the uptime is not known").isEqualTo(Refusal.UNCONFIRMED);
        lease.set(HELD, new Moment(now.nanos(), now.wallMillis() - HOUR, 1));
        assertThat(lease.use()).as("since the host's start").isEqualTo(Refusal.UNCONFIRMED);
    }

    @Test
    void aLeaseLastsForItsTimeByTheMonotonicClockWhateverTheOthersAre() {
        Moment now = Moment.now();

        lease.set(HELD, new Moment(now.nanos(), now.wallMillis(), -1));
        assertThat(lease.use()).isNull();
        lease.set(HELD, new Moment(now.nanos() - TimeUnit.MILLISECONDS.toNanos(HOUR), now.wallMillis(), -1));
        assertThat(lease.use()).isEqualTo(Refusal.UNCONFIRMED);
    }

    @Test
    void whatCouldNotBeWrittenIsNotedTheNextTime() {
        lease.use();
        isNoted(false);
        lease.isUsed(false);

        assertThat(isNoted(false)).isTrue();
        assertThat(isNoted(false)).isFalse();
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

    @Test
    void aLeaseThatHasLapsedIsNoneThatIsValid() {
        ScopeLease unknown = new ScopeLease("views", its -> {}, () -> false);
        assertThat(unknown.isStart()).isTrue();
        assertThat(lease.isStart()).isFalse();

        lease.reset();
    }

    /** Whether the registry is told of operations; it responds. */
    private boolean isNoted(boolean applying) {
        boolean noted = lease.isUsed(applying);
        lease.renewed(Moment.now());
        return noted;
    }
}
