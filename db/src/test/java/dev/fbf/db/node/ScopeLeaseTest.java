package dev.fbf.db.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a lease lasts, and what the registry is told of operations that are applied. */
class ScopeLeaseTest {

    private static final long HOUR = 3_600_000;

    private final ScopeLease lease = new ScopeLease("views");

    @BeforeEach
    void hold() {
        lease.set(NodeStanding.apply(null), Moment.now());
    }

    @Test
    void aTransactionThatLastsForSeveralRenewalsIsNotedUntilAfterItsEnd() {
        assertThat(lease.use()).isTrue();

        assertThat(lease.takeUsed(true)).isTrue();
        assertThat(lease.takeUsed(true)).isTrue();
        assertThat(lease.takeUsed(false))
                .as("it may have ended since the last time")
                .isTrue();
        assertThat(lease.takeUsed(false)).isFalse();
    }

    @Test
    void anOperationThatWasAdmittedAndNotYetClaimedIsNotedOnceMore() {
        lease.use();

        assertThat(lease.takeUsed(false)).isTrue();
        assertThat(lease.takeUsed(false)).isTrue();
        assertThat(lease.takeUsed(false)).isFalse();
    }

    @Test
    void aClockThatIsSetEndsNoLease() {
        Moment now = Moment.now();
        assumeThat(now.uptimeMillis()).as("the uptime is known").isNotNegative();

        for (long step : new long[] {-HOUR, HOUR}) {
            lease.set(NodeStanding.apply(null), new Moment(now.nanos(), now.wallMillis() - step, now.uptimeMillis()));
            assertThat(lease.use()).isTrue();
        }
    }

    @Test
    void aLeaseLapsesWhileTheHostSleeps() {
        Moment now = Moment.now();

        lease.set(
                NodeStanding.apply(null), new Moment(now.nanos(), now.wallMillis() - HOUR, now.uptimeMillis() - HOUR));
        assertThat(lease.use()).isFalse();
        lease.set(NodeStanding.apply(null), new Moment(now.nanos(), now.wallMillis() - HOUR, -1));
        assertThat(lease.use()).as("where the uptime is not known").isFalse();
    }

    @Test
    void whatCouldNotBeWrittenIsNotedTheNextTime() {
        lease.use();
        lease.takeUsed(false);
        lease.takeUsed(false);
        lease.giveBackUsed();

        assertThat(lease.takeUsed(false)).isTrue();
    }
}
