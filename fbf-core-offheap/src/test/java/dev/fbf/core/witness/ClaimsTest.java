package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.Threads;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.TinyFilter;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimsTest {

    private static final long SCOPE = ClaimLayout.hash("views");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 65})
    void givesOutEachRecordIndexOnceUntilNoneIsFree(int max) {
        RecordedClaims claims = HeapClaims.of(max);
        ScopeClaims scope = scope(claims);

        List<HeldClaim> taken = takeAll(scope);

        assertThat(taken)
                .extracting(claim -> claim.recordIndex)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, max).boxed().toList());
        assertThat(claims.held()).isEqualTo(max);
        assertThat(scope.held()).isEqualTo(max);
        assertThat(scope.admit(id(-1))).isEqualTo(Refusal.NO_ROOM);
        taken.get(max - 1).free();
        assertThat(claims.held()).isEqualTo(max - 1);
        assertThat(((HeldClaim) scope.admit(id(-1))).recordIndex).isEqualTo(taken.get(max - 1).recordIndex);
    }

    @Test
    void letsARecordIndexRestBeforeItIsTakenAgain() {
        ScopeClaims scope = scope(HeapClaims.of(100));
        List<Integer> recordIndexes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            HeldClaim claim = (HeldClaim) scope.admit(id(i));
            recordIndexes.add(claim.recordIndex);
            claim.free();
        }
        assertThat(recordIndexes).doesNotHaveDuplicates();
    }

    @Test
    void countsARecordIndexBeyondTheEndButNeverGivesItOut() {
        Entry beyond = new Entry(199, id(1), SCOPE, 1, 64, 1, 2, 3);
        Entry within = new Entry(1, id(2), SCOPE, 1, 1, 3, 4, 3);
        RecordedClaims claims = HeapClaims.of(HeapClaims.records(200), 2, List.of(beyond, within));
        ScopeClaims scope = scope(claims);
        assertThat(claims.held())
                .as("a record index beyond the end, its slot, and a record index")
                .isEqualTo(3);
        assertThat(scope.held()).isEqualTo(2);

        assertThat(takeAll(scope)).extracting(claim -> claim.recordIndex).containsExactly(0);

        claims.free(claims.recover(beyond));
        claims.giveBack(beyond.slot());
        assertThat(claims.held()).isEqualTo(2);
        assertThat(scope.admit(id(-1))).isEqualTo(Refusal.NO_ROOM);
        claims.free(claims.recover(within));
        assertThat(takeAll(scope)).extracting(claim -> claim.recordIndex).containsExactly(1);
    }

    @Test
    void keepsEverybodyFromTheSlotOfAClaimThatWasTakenBack() {
        Entry left = new Entry(1, id(1), SCOPE, 1, 0, 1, 2, 3);
        RecordedClaims claims = HeapClaims.of(3, List.of(left));

        assertThat(claims.held()).isEqualTo(2);
        assertThat(takeAll(scope(claims)))
                .extracting(claim -> claim.recordIndex)
                .containsExactly(2);
    }

    @Test
    void removesNoOtherClaimOfTheSameOperation() {
        RecordedClaims claims = HeapClaims.of(2);
        ScopeClaims scope = scope(claims);
        HeldClaim claim = (HeldClaim) scope.admit(id(1));

        claims.release(new HeldClaim(claims, SCOPE, id(1), 1));

        assertThat(claims.find(id(1))).isSameAs(claim);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 70})
    void noRecordIndexAndNoOperationIsHeldTwiceHoweverManyThreadsTakeThem(int max) throws Exception {
        int threads = 8;
        int operations = 6; // fewer than threads
        RecordedClaims claims = HeapClaims.of(max);
        ScopeClaims scope = scope(claims);
        AtomicIntegerArray ofRecords = new AtomicIntegerArray(max);
        AtomicIntegerArray ofOperations = new AtomicIntegerArray(operations);
        AtomicIntegerArray uses = new AtomicIntegerArray(max);
        AtomicInteger shared = new AtomicInteger();
        Threads.run(threads, thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 20_000; i++) {
                int operation = random.nextInt(operations);
                if (scope.admit(id(operation)) instanceof HeldClaim claim) {
                    shared.addAndGet(ofRecords.getAndIncrement(claim.recordIndex));
                    shared.addAndGet(ofOperations.getAndIncrement(operation));
                    uses.incrementAndGet(claim.recordIndex);
                    shared.addAndGet(claims.find(claim.id()) == claim ? 0 : 1);
                    ofOperations.decrementAndGet(operation);
                    ofRecords.decrementAndGet(claim.recordIndex);
                    claim.free();
                }
            }
        });

        assertThat(shared).as("held twice, or not found").hasValue(0);
        assertThat(IntStream.range(0, max).map(uses::get)).allMatch(count -> count > 0);
        assertThat(claims.held()).isZero();
        assertThat(scope.held()).isZero();
        assertThat(takeAll(scope))
                .extracting(claim -> claim.recordIndex)
                .hasSize(max)
                .doesNotHaveDuplicates();
    }

    private static List<HeldClaim> takeAll(ScopeClaims scope) {
        List<HeldClaim> all = new ArrayList<>();
        while (scope.admit(new OperationId(all.size(), scope.held() + 4)) instanceof HeldClaim claim) {
            all.add(claim);
        }
        return all;
    }

    private static ScopeClaims scope(RecordedClaims claims) {
        return HeapClaims.scope(claims, "views", new TinyFilter(Rule.PAPER));
    }

    private static OperationId id(int operation) {
        return new OperationId(operation, 3);
    }
}
