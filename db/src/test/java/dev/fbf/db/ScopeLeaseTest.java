package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the registry is told of operations that are applied. */
class ScopeLeaseTest {

    private final ScopeLease lease = new ScopeLease("views");

    @BeforeEach
    void hold() {
        lease.set(NodeStanding.apply(null), System.nanoTime(), System.currentTimeMillis());
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
    void whatCouldNotBeWrittenIsNotedTheNextTime() {
        lease.use();
        lease.takeUsed(false);
        lease.takeUsed(false);
        lease.giveBackUsed();

        assertThat(lease.takeUsed(false)).isTrue();
    }
}
