package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node without files: claims and filters are as in a directory, and end with it. */
class NodeInMemoryTest {

    private final OperationId operation = OperationId.of("views", "", "key");
    private final Node node = Node.inMemory(2);
    private final ScopeClaims scope = node.scope("views", FilterSizing.DEFAULT.plan());

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void admitsAnOperationOnce() {
        Claim claim = (Claim) scope.admit(operation);
        assertThat(scope.admit(operation)).isEqualTo(Refusal.IN_PROGRESS);

        claim.applied();

        assertThat(scope.admit(operation)).isEqualTo(Refusal.APPLIED);
        assertThat(node.held()).isZero();
    }

    @Test
    void believesItsFilterOnlyAsFarAsTheDatabaseConfirmsIt() {
        ((Claim) scope.admit(operation)).applied();

        assertThat(scope.admit(operation, () -> false)).isInstanceOf(Claim.class);
    }

    @Test
    void hasRoomForAsManyClaimsAsItWasGiven() {
        scope.admit(OperationId.of("views", "", "one"));
        scope.admit(OperationId.of("views", "", "two"));

        assertThat(scope.admit(operation)).isEqualTo(Refusal.NO_ROOM);
        assertThatIllegalArgumentException().isThrownBy(() -> Node.inMemory(0)).withMessageContaining("maxClaims=0");
    }

    @Test
    void knowsTheScopesWhoseOperationsAreBeingApplied() {
        assertThat(node.isApplying("views")).isFalse();
        Claim claim = (Claim) scope.admit(operation);
        assertThat(node.isApplying("views")).isTrue();
        assertThat(node.isApplying("not-open")).isFalse();

        claim.free();

        assertThat(node.isApplying("views")).isFalse();
        assertThat(node).hasToString("memory");
    }

    @Test
    void hasNoWitness() {
        assertThatIllegalStateException()
                .isThrownBy(() -> node.database("main"))
                .withMessageContaining("no witness");
    }

    @Test
    void admitsNothingOnceItIsClosed() {
        node.close();

        assertThat(scope.admit(operation)).isEqualTo(Refusal.STOPPED);
        assertThat(node.isStopped()).isTrue();
    }
}
