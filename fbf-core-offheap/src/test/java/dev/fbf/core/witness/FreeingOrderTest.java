package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.Threads;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.filter.FilterInWords;
import dev.fbf.core.filter.WordsView;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Other threads while a transaction frees its records, its operations and its slot. */
@Timeout(60)
class FreeingOrderTest {

    private static final OperationId A = new OperationId(1, 1);
    private static final OperationId B = new OperationId(2, 2);

    private final FakeDatabase witness = new FakeDatabase();
    private IntConsumer beforeFreeing = record -> {};

    static Stream<Consumer<WitnessedTransaction>> ends() {
        return Stream.of(
                WitnessedTransaction::rolledBack,
                WitnessedTransaction::mismatched,
                transaction -> {
                    transaction.inDoubt();
                    transaction.settled(false, ~transaction.next());
                },
                transaction -> {
                    transaction.inDoubt();
                    transaction.decide(false);
                });
    }

    /** Else its next request could write a record of its own, and a crash would find two, or have its own record freed. */
    @ParameterizedTest
    @MethodSource("ends")
    void noThreadGetsAnOperationARecordIndexOrASlotBeforeItsRecordIsFreed(Consumer<WitnessedTransaction> end) {
        List<Integer> freed = new ArrayList<>();
        HeapNode node = node(3);
        ScopeClaims views = node.scope("views");
        WitnessedTransaction transaction = node.database.transaction((Claim) views.admit(A, null));
        transaction.add((Claim) views.admit(B, null));
        beforeFreeing = record -> {
            freed.add(record);
            // there is a record to spare; those of A, whose record gives the slot, are freed last
            for (OperationId id : freed.size() == 1 ? List.of(A, B) : List.of(A)) {
                assertThat(views.admit(id, null)).isNotInstanceOf(Claim.class);
            }
            List<HeldClaim> claims = new ArrayList<>();
            for (int i = 0; views.admit(new OperationId(i, 9), null) instanceof HeldClaim claim; i++) {
                claims.add(claim);
            }
            assertThat(claims).extracting(claim -> claim.recordIndex).doesNotContain(record, transaction.slot());
            claims.forEach(HeldClaim::free);
        };

        end.accept(transaction);

        assertThat(freed).hasSize(2);
    }

    /** Else its next transaction would begin with a token that the row no longer has. */
    @Test
    void noThreadGetsASlotBeforeItsToken() throws Exception {
        HeapNode node = node(1);
        ScopeClaims views = node.scope("views");
        Threads.run(4, thread -> {
            for (int i = 0; i < 20_000; i++) {
                Admission admission = views.admit(new OperationId(i, thread + 1), null);
                if (admission instanceof Claim claim) {
                    WitnessedTransaction transaction = node.database.transaction(claim);
                    assertThat(witness.commit(transaction))
                            .as("the row has its token")
                            .isTrue();
                    transaction.committed();
                }
            }
        });
    }

    private HeapNode node(int maxClaims) {
        Words words = new HeapWords(ClaimLayout.words(maxClaims));
        Words filter = new HeapWords(FilterInWords.size());
        HeapNode.initialize(words, maxClaims, List.of(filter));
        Words view = new WordsView(words) {
            @Override
            public void setRelease(long index, long value) {
                long word = index - ClaimLayout.HEADER_WORDS;
                if (value == ClaimLayout.FREE && word % ClaimLayout.RECORD_WORDS == ClaimLayout.STATE) {
                    beforeFreeing.accept((int) (word / ClaimLayout.RECORD_WORDS));
                }
                super.setRelease(index, value);
            }
        };
        return new HeapNode(view, Map.of("views", filter), maxClaims, witness);
    }
}
