package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.Threads;
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

    @Test
    void letsARecordIndexRestBeforeItIsTakenAgain() {
        ScopeClaims scope = scope(HeapClaims.of(100));
        List<Integer> recordIndexes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            HeldClaim claim = (HeldClaim) scope.admit(id(i), null);
            recordIndexes.add(claim.recordIndex);
            claim.free();
        }
        assertThat(recordIndexes).doesNotHaveDuplicates();
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
                if (scope.admit(id(operation), null) instanceof HeldClaim claim) {
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
        while (scope.admit(new OperationId(all.size(), scope.held() + 4), null) instanceof HeldClaim claim) {
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
