package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.NEIGHBOUR;
import static dev.fbf.core.filter.TinyFilter.OPERATION;
import static dev.fbf.core.filter.TinyFilter.SMALLEST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.Rule;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every interleaving, word by word, of two operations: none loses an operation within its window. And each precaution of
 * the filter is needed: without it, some interleaving does.
 */
class InterleavingTest {

    /** A check reads few words, and each read is one choice among the values it may return. */
    private static final int OF_A_CHECK = 10;

    private final Interleavings interleavings = new Interleavings();
    private int lost;
    private boolean putBeforeForce;
    private boolean forced;
    private Instant stateReadAt = Instant.MIN;

    @ParameterizedTest
    @EnumSource
    void noPutIsLostWhileTheGenerationsRotate(Rule rule) {
        noneIsLost(putAgainstRotations(rule, OPERATION, 1, TinyFilter::asItIs, TinyFilter::asItIs));
    }

    @ParameterizedTest
    @EnumSource
    void aPutMustReadAgainWhetherTheGenerationsRotated(Rule rule) {
        someAreLost(putAgainstRotations(rule, OPERATION, 1, TinyFilter::withoutSecondRead, TinyFilter::asItIs));
    }

    @ParameterizedTest
    @EnumSource
    void aGenerationMustBeCleanBeforeItIsPublished(Rule rule) {
        someAreLost(putAgainstRotations(rule, OPERATION, 1, TinyFilter::asItIs, TinyFilter::publishingBeforeClearing));
    }

    @ParameterizedTest
    @EnumSource
    void noPutIsLostWhileAnEarlierOneOfTheSameWordIsCleared(Rule rule) {
        noneIsLost(putAgainstRotationThatClears(rule, TinyFilter::asItIs));
    }

    /** By {@link Rule#PAPER} too, but to go through all of its interleavings takes minutes. */
    @Test
    void noPutIsLostThatIsHeldUpForMoreThanAPeriod() {
        noneIsLost(putAgainstRotations(Rule.SINGLE, SMALLEST, 2, TinyFilter::asItIs, TinyFilter::asItIs));
    }

    @ParameterizedTest
    @EnumSource
    void clearingMustCompareAndSet(Rule rule) {
        someAreLost(putAgainstRotationThatClears(rule, TinyFilter::withTornCompareAndSet));
    }

    @ParameterizedTest
    @EnumSource
    void noCheckMissesAnOperationWhileTheGenerationsRotate(Rule rule) {
        noneIsLost(checkAgainstRotation(rule, TinyFilter::asItIs, TinyFilter::asItIs), OF_A_CHECK);
    }

    @ParameterizedTest
    @EnumSource
    void noCheckMissesAnOperationWhileAGenerationIsDropped(Rule rule) {
        noneIsLost(
                run -> {
                    TinyFilter filter = filter(run, rule, OPERATION);
                    filter.put(OPERATION);
                    filter.rotateLate();
                    run.actor(() -> count(filter.asItIs().mightContain(OPERATION)));
                    run.soleWriter(
                            FilterLayout.STATE_WORD, () -> filter.asItIs().dropOldest());
                },
                OF_A_CHECK);
    }

    /** By {@link Rule#SINGLE} an operation stays in one generation for its whole window: it cannot be missed. */
    @Test
    void byThePapersRuleACheckMustReadAgainWhetherTheGenerationsRotated() {
        someAreLost(checkAgainstRotation(Rule.PAPER, TinyFilter::withoutSecondRead, TinyFilter::asItIs));
    }

    @Test
    void byThePapersRuleARefreshMustPublishBeforeItClears() {
        someAreLost(checkAgainstRotation(Rule.PAPER, TinyFilter::asItIs, TinyFilter::clearingBeforePublishing));
    }

    @ParameterizedTest
    @EnumSource
    void noPutIsLostWhileAnotherSetsBitsOfTheSameWords(Rule rule) {
        noneIsLost(putAgainstPut(rule, TinyFilter::asItIs));
    }

    @ParameterizedTest
    @EnumSource
    void aPutMustCompareAndSet(Rule rule) {
        someAreLost(putAgainstPut(rule, TinyFilter::withTornCompareAndSet));
    }

    @Test
    void aCheckMustHaveReadTheLanesBeforeItReadsAgain() {
        someAreLost(checkAgainstRotation(Rule.PAPER, filter -> filter.withoutFence(2), TinyFilter::asItIs));
    }

    @ParameterizedTest
    @EnumSource
    void noCheckMissesAnOperationThatIsInItsWindowWhenTheCheckEnds(Rule rule) {
        noneIsLost(checkThenTime(rule, TinyFilter::asItIs));
    }

    @ParameterizedTest
    @EnumSource
    void aCheckMustHaveReadTheLanesWhenItEnds(Rule rule) {
        someAreLost(checkThenTime(rule, filter -> filter.withoutFence(1)));
    }

    @ParameterizedTest
    @EnumSource
    void aPutThatFindsItsBitsSetIsForcedByAForceBehindIt(Rule rule) {
        noneIsLost(putThenForce(rule, TinyFilter::asItIs));
    }

    @ParameterizedTest
    @EnumSource
    void aPutMustHaveReadTheLanesWhenItEnds(Rule rule) {
        someAreLost(putThenForce(rule, filter -> filter.withoutFence(1)));
    }

    private void noneIsLost(Consumer<Interleavings.Run> program) {
        noneIsLost(program, 100);
    }

    private void noneIsLost(Consumer<Interleavings.Run> program, int moreThan) {
        int runs = interleavings.explore(program, () -> false);

        assertThat(runs).as("interleavings").isGreaterThan(moreThan);
        assertThat(lost).as("lost in %d interleavings", runs).isZero();
    }

    private void someAreLost(Consumer<Interleavings.Run> program) {
        int runs = interleavings.explore(program, () -> lost > 0);

        assertThat(lost).as("lost in %d interleavings", runs).isPositive();
    }

    private Consumer<Interleavings.Run> putAgainstRotations(
            Rule rule,
            OperationId id,
            int rotations,
            UnaryOperator<TinyFilter> putting,
            UnaryOperator<TinyFilter> rotating) {
        return run -> {
            TinyFilter filter = filter(run, rule, id);
            run.actor(() -> put(putting.apply(filter), id));
            run.soleWriter(FilterLayout.STATE_WORD, () -> rotate(rotating.apply(filter), rotations));
            run.atTheEnd(() -> count(filter.keeps(id, stateReadAt)));
        };
    }

    /** The operation was put once before, so that the rotation has its bits to clear while it is put anew. */
    private Consumer<Interleavings.Run> putAgainstRotationThatClears(Rule rule, UnaryOperator<TinyFilter> rotating) {
        return run -> {
            TinyFilter filter = filter(run, rule, SMALLEST);
            filter.put(SMALLEST);
            rotate(filter, 2);
            run.actor(() -> put(filter.asItIs(), SMALLEST));
            run.soleWriter(FilterLayout.STATE_WORD, () -> rotate(rotating.apply(filter), 1));
            run.atTheEnd(() -> count(filter.keeps(SMALLEST, stateReadAt)));
        };
    }

    /** The operation was put in the period before the last one. */
    private Consumer<Interleavings.Run> checkAgainstRotation(
            Rule rule, UnaryOperator<TinyFilter> checking, UnaryOperator<TinyFilter> rotating) {
        return run -> {
            TinyFilter filter = filter(run, rule, OPERATION);
            filter.put(OPERATION);
            rotate(filter, 1);
            run.actor(() -> count(checking.apply(filter).mightContain(OPERATION)));
            run.soleWriter(FilterLayout.STATE_WORD, () -> rotate(rotating.apply(filter), 1));
        };
    }

    private Consumer<Interleavings.Run> putAgainstPut(Rule rule, UnaryOperator<TinyFilter> putting) {
        return run -> {
            TinyFilter filter = filter(run, rule, OPERATION);
            run.actor(() -> put(putting.apply(filter), OPERATION));
            run.actor(() -> put(putting.apply(filter), NEIGHBOUR));
            run.atTheEnd(() -> count(filter.mightContain(OPERATION) && filter.mightContain(NEIGHBOUR)));
        };
    }

    /** The operation's window ends while it is looked up. */
    private Consumer<Interleavings.Run> checkThenTime(Rule rule, UnaryOperator<TinyFilter> checking) {
        return run -> {
            TinyFilter filter = filter(run, rule, OPERATION, TinyFilter.TIME);
            filter.putAndRotate(OPERATION);
            Instant putAt = filter.stateReadAt();
            rotate(filter, 1);
            run.actor(() -> count(checking.apply(filter).findsWithinItsWindow(OPERATION, putAt)));
            run.soleWriter(FilterLayout.STATE_WORD, () -> rotate(filter.asItIs(), 1));
        };
    }

    /** Another thread puts the operation, too. The memory is forced when the one that was asked has ended, or before. */
    private Consumer<Interleavings.Run> putThenForce(Rule rule, UnaryOperator<TinyFilter> putting) {
        return run -> {
            TinyFilter filter = filter(run, rule, OPERATION, TinyFilter.FORCED);
            run.actor(() -> putBeforeForce = putting.apply(filter).putBeforeForce(OPERATION));
            run.actor(() -> filter.asItIs().put(OPERATION));
            run.actor(() -> forced = filter.asItIs().forces(OPERATION));
            run.atTheEnd(() -> count(!putBeforeForce || forced));
        };
    }

    private void put(TinyFilter filter, OperationId id) {
        filter.put(id);
        stateReadAt = filter.stateReadAt();
    }

    private static void rotate(TinyFilter filter, int rotations) {
        for (int rotation = 0; rotation < rotations; rotation++) {
            filter.rotate();
        }
    }

    private static TinyFilter filter(Interleavings.Run run, Rule rule, OperationId id, long... others) {
        return new TinyFilter(rule, words -> run.stepping(words, TinyFilter.sharedWords(id, others)));
    }

    private void count(boolean found) {
        lost += found ? 0 : 1;
    }
}
