package dev.fbf.core.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClaimIndexTest {

    private final Claims claims = HeapClaims.of(1);
    private final ClaimIndex index = new ClaimIndex(1);

    @Test
    void findsTheClaimOfAnOperation() {
        HeldClaim claim = claim(1);
        HeldClaim another = claim(1);

        assertThat(index.putIfAbsent(claim)).isNull();
        assertThat(index.putIfAbsent(another)).isSameAs(claim);
        assertThat(index.get(new OperationId(1, 0))).isSameAs(claim);
        assertThat(index.get(new OperationId(0, 1))).isNull();
        index.remove(claim);
        assertThat(index.get(claim.id())).isNull();
        assertThat(index.putIfAbsent(another)).isNull();
    }

    @Test
    void keepsTheOthersOfABucketWhicheverIsRemoved() {
        for (int removed = 0; removed < 5; removed++) {
            List<HeldClaim> all = sameBucket(5);
            all.forEach(claim -> assertThat(index.putIfAbsent(claim)).isNull());

            index.remove(all.get(removed));

            for (int i = 0; i < 5; i++) {
                assertThat(index.get(all.get(i).id())).isSameAs(i == removed ? null : all.get(i));
            }
            all.forEach(index::remove);
        }
    }

    @Test
    void removesNoOtherClaimOfTheSameOperation() {
        HeldClaim claim = claim(1);
        index.putIfAbsent(claim);

        index.remove(claim(1));

        assertThat(index.get(claim.id())).isSameAs(claim);
    }

    @Test
    void hasOneClaimForAnOperationHoweverManyThreadsPutOne() throws Exception {
        int operations = 2; // fewer than threads, and in one bucket
        AtomicIntegerArray holders = new AtomicIntegerArray(operations);
        AtomicInteger shared = new AtomicInteger();
        AtomicInteger lost = new AtomicInteger();
        Threads.run(8, thread -> {
            for (int turn = 0; turn < 50_000; turn++) {
                int operation = (turn + thread) % operations;
                HeldClaim claim = claim(operation);
                if (index.putIfAbsent(claim) == null) {
                    shared.addAndGet(holders.getAndIncrement(operation));
                    lost.addAndGet(index.get(claim.id()) == claim ? 0 : 1);
                    holders.decrementAndGet(operation);
                    index.remove(claim);
                }
            }
        });

        assertThat(shared).as("operations with two claims").hasValue(0);
        assertThat(lost).as("claims not found").hasValue(0);
        assertThat(IntStream.range(0, operations).mapToObj(i -> index.get(new OperationId(i, 0))))
                .containsOnlyNulls();
    }

    private List<HeldClaim> sameBucket(int count) {
        return IntStream.range(0, count).mapToObj(this::claim).toList();
    }

    private HeldClaim claim(int operation) {
        return new HeldClaim(claims, 1, new OperationId(operation, 0), 0);
    }
}
