package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.NEIGHBOUR;
import static dev.fbf.core.filter.TinyFilter.OPERATION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.Rule;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A put, a check or a refresh that another interrupts, before each of its accesses to the words in turn: nothing is lost. And each precaution
 * is needed: without it, something is. The order of memory is for jcstress.
 */
class RotationTest {

    private static final UnaryOperator<Words> AS_THEY_ARE = UnaryOperator.identity();

    /** The periods in which an operation may have been put before. */
    private static final int PERIODS = 4;

    @ParameterizedTest
    @EnumSource
    void noPutIsLostThatRefreshesInterrupt(Rule rule) {
        assertThat(lostPuts(rule, AS_THEY_ARE, 1)).isZero();
        assertThat(lostPuts(rule, AS_THEY_ARE, 2)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aPutMustReadAgainWhetherTheGenerationsRotated(Rule rule) {
        assertThat(lostPuts(rule, Weakened::withoutSecondRead, 1)).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void noPutIsLostThatInterruptsARefresh(Rule rule) {
        assertThat(lostPutsInARefresh(rule, AS_THEY_ARE, 0)).isZero();
        assertThat(lostPutsInARefresh(rule, AS_THEY_ARE, 5))
                .as("if it is held up")
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aGenerationMustBeCleanBeforeItIsPublished(Rule rule) {
        assertThat(lostPutsInARefresh(
                        rule, words -> Weakened.publishingBeforeClearing(TinyFilter.plan(rule), words), 0))
                .isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void clearingMustCompareAndSet(Rule rule) {
        assertThat(lostPutsInARefresh(rule, Weakened::tornCompareAndSet, 0)).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void noCheckMissesAnOperationWhileTheGenerationsRotate(Rule rule) {
        assertThat(missingChecks(rule, AS_THEY_ARE)).isZero();
        assertThat(missingChecksInARefresh(rule, AS_THEY_ARE)).isZero();
    }

    /** By {@link Rule#SINGLE} an operation stays in one generation for its whole window: it cannot be missed. */
    @Test
    void byThePapersRuleACheckMustReadAgainAndARefreshMustPublishBeforeItClears() {
        assertThat(missingChecks(Rule.PAPER, Weakened::withoutSecondRead)).isPositive();
        assertThat(missingChecksInARefresh(
                        Rule.PAPER, words -> Weakened.clearingBeforePublishing(TinyFilter.plan(Rule.PAPER), words)))
                .isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void aPutMustCompareAndSetSoThatNoneIsLostOfTwoWithTheSameWords(Rule rule) {
        assertThat(lostOfTwo(rule, AS_THEY_ARE)).isZero();
        assertThat(lostOfTwo(rule, Weakened::tornCompareAndSet)).isPositive();
    }

    private static int lostPuts(Rule rule, UnaryOperator<Words> weakness, int refreshes) {
        return lost(rule, PERIODS, (filter, interruption) -> {
            TinyFilter putting = filter.seenThrough(
                    words -> weakness.apply(interruption.of(words, () -> rotate(filter, refreshes))));
            putting.put(OPERATION);
            return !filter.keeps(OPERATION, putting.stateReadAt());
        });
    }

    private static int lostPutsInARefresh(Rule rule, UnaryOperator<Words> weakness, int periodsLate) {
        return lost(rule, PERIODS, (filter, interruption) -> {
            TinyFilter putting = filter.asItIs();
            Instant before = putting.stateReadAt();
            filter.seenThrough(words -> weakness.apply(interruption.of(words, () -> {
                        filter.pass(periodsLate);
                        putting.put(OPERATION);
                    })))
                    .rotate();
            return !putting.stateReadAt().equals(before) && !filter.keeps(OPERATION, putting.stateReadAt());
        });
    }

    private static int missingChecks(Rule rule, UnaryOperator<Words> weakness) {
        return lost(
                rule,
                2,
                (filter, interruption) -> !filter.seenThrough(
                                words -> weakness.apply(interruption.of(words, filter::rotate)))
                        .mightContain(OPERATION));
    }

    private static int missingChecksInARefresh(Rule rule, UnaryOperator<Words> weakness) {
        return lost(rule, 2, (filter, interruption) -> {
            boolean[] missed = new boolean[1];
            filter.seenThrough(words ->
                            weakness.apply(interruption.of(words, () -> missed[0] = !filter.mightContain(OPERATION))))
                    .rotate();
            return missed[0];
        });
    }

    private static int lostOfTwo(Rule rule, UnaryOperator<Words> weakness) {
        return lost(rule, 0, (filter, interruption) -> {
            filter.seenThrough(words -> weakness.apply(interruption.of(words, () -> filter.put(NEIGHBOUR))))
                    .put(OPERATION);
            return interruption.hasHappened() && !(filter.mightContain(OPERATION) && filter.mightContain(NEIGHBOUR));
        });
    }

    private interface Scenario {

        boolean loses(TinyFilter filter, Interruption interruption);
    }

    /**
     * Counts the losses over all accesses at which the interruption can come, with an operation that was put so many periods before, and
     * without one.
     */
    private static int lost(Rule rule, int periods, Scenario scenario) {
        int lost = 0;
        for (int before = periods == 0 ? -1 : 0; before < periods; before++) {
            Interruption interruption;
            int at = 0;
            do {
                interruption = new Interruption(at++);
                TinyFilter filter = new TinyFilter(rule);
                if (before >= 0) {
                    filter.put(OPERATION);
                    rotate(filter, before);
                }
                lost += scenario.loses(filter, interruption) ? 1 : 0;
            } while (interruption.hasHappened());
            assertThat(at).as("accesses").isGreaterThan(5);
        }
        return lost;
    }

    private static void rotate(TinyFilter filter, int rotations) {
        for (int rotation = 0; rotation < rotations; rotation++) {
            filter.rotate();
        }
    }

    /** Does something before one of the accesses to the words. */
    private static final class Interruption {

        private int accessesLeft;

        Interruption(int accesses) {
            accessesLeft = accesses;
        }

        boolean hasHappened() {
            return accessesLeft < 0;
        }

        Words of(Words words, Runnable other) {
            return new WordsView(words) {
                @Override
                public long getVolatile(long index) {
                    count();
                    return super.getVolatile(index);
                }

                @Override
                public long getPlainAt(long position) {
                    count();
                    return super.getPlainAt(position);
                }

                @Override
                public void setRelease(long index, long value) {
                    count();
                    super.setRelease(index, value);
                }

                @Override
                public boolean compareAndSet(long index, long expected, long value) {
                    count();
                    return super.compareAndSet(index, expected, value);
                }

                @Override
                public boolean compareAndSetAt(long position, long expected, long value) {
                    count();
                    return super.compareAndSetAt(position, expected, value);
                }

                private void count() {
                    if (accessesLeft-- == 0) {
                        other.run();
                    }
                }
            };
        }
    }
}
