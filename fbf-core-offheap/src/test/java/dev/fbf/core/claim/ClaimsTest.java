package dev.fbf.core.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.Threads;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimsTest {

    private static final Duration WINDOW = Duration.ofHours(1);

    private final RecentOperations recent = new RecentOperations();
    private final Claims claims = new Claims(2, recent::put);

    @Test
    void givesOutAnOperationUntilItsClaimEnds() {
        Claim claim = claim(1);
        assertThat(claim.id()).isEqualTo(id(1));
        assertThat(claim.retryWindow()).isEqualTo(WINDOW);
        assertThat(claim.isHeld()).isTrue();
        assertThat(take(claims, 1)).isEqualTo(Refusal.IN_PROGRESS);

        claim.free();

        assertThat(claim.isHeld()).isFalse();
        claim(1);
    }

    @Test
    void onlyAnAppliedOperationIsARecentOne() {
        claim(1).applied();
        claim(2).free();

        assertThat(recent.mightContain(id(1))).isTrue();
        assertThat(recent.mightContain(id(2))).isFalse();
        assertThat(claims.held()).isZero();
    }

    @Test
    void hasRoomForAsManyClaimsAsItWasGiven() {
        Claim claim = claim(1);
        claim(2);

        assertThat(take(claims, 3)).isEqualTo(Refusal.NO_ROOM);
        assertThat(take(claims, 2)).as("no room is needed to say so").isEqualTo(Refusal.IN_PROGRESS);
        assertThat(claims.held()).isEqualTo(2);
        claim.free();
        claim(3);
    }

    @Test
    void refusesToEndAClaimTwice() {
        Claim claim = claim(1);
        claim.applied();
        Claim next = claim(1);

        assertThatIllegalStateException().isThrownBy(claim::free).withMessage("claim=" + id(1) + ": has ended");
        assertThatIllegalStateException().isThrownBy(claim::applied);
        assertThat(next.isHeld()).isTrue();
        assertThat(take(claims, 1)).isEqualTo(Refusal.IN_PROGRESS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8})
    void neitherAnOperationNorRoomIsGivenOutTwiceHoweverManyThreadsTakeThem(int max) throws Exception {
        int operations = 6; // fewer than threads
        Claims contended = new Claims(max, recent::put);
        AtomicIntegerArray holders = new AtomicIntegerArray(operations);
        AtomicInteger held = new AtomicInteger();
        AtomicInteger tooMany = new AtomicInteger();
        Threads.run(8, thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 20_000; i++) {
                int operation = random.nextInt(operations);
                if (take(contended, operation) instanceof Claim claim) {
                    boolean isAlone = holders.incrementAndGet(operation) == 1;
                    tooMany.addAndGet(held.incrementAndGet() <= max && isAlone ? 0 : 1);
                    held.decrementAndGet();
                    holders.decrementAndGet(operation);
                    claim.free();
                }
            }
        });

        assertThat(tooMany).hasValue(0);
        assertThat(contended.held()).isZero();
        assertThat(contended.held("views")).isZero();
        for (int i = 0; i < max; i++) {
            assertThat(take(contended, i)).isInstanceOf(Claim.class);
        }
        assertThat(take(contended, max)).isEqualTo(Refusal.NO_ROOM);
    }

    /** An applied operation is a recent one before its claim is free: otherwise a retry would get the claim and not find it. */
    @Test
    void eachOperationIsAppliedOnceHoweverManyRequestsItHas() throws Exception {
        int operations = 50_000;
        AtomicInteger applied = new AtomicInteger();
        Threads.run(4, thread -> {
            for (int operation = 0; operation < operations; ) {
                if (take(claims, operation) instanceof Claim claim) {
                    if (recent.mightContain(id(operation++))) {
                        claim.free();
                    } else {
                        applied.incrementAndGet();
                        claim.applied();
                    }
                }
            }
        });

        assertThat(applied).hasValue(operations);
    }

    private Claim claim(int operation) {
        return (Claim) take(claims, operation);
    }

    private static Admission take(Claims claims, int operation) {
        return claims.take(id(operation), "views", WINDOW, null);
    }

    private static OperationId id(int operation) {
        return new OperationId(operation, 3);
    }
}
