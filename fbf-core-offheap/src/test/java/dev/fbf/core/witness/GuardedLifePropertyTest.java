package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.witness.GuardedLife.Disk;
import dev.fbf.core.witness.GuardedLife.Event;
import dev.fbf.core.witness.GuardedLife.Step;
import dev.fbf.core.witness.GuardedLife.Weakness;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Under any events a node applies each operation once, and a node without one of its precautions fails at that. */
class GuardedLifePropertyTest {

    private static final int MOST_LIVES = 3_000;

    @Provide
    Arbitrary<Step> steps() {
        return Combinators.combine(
                        Arbitraries.of(Event.weighted()), Arbitraries.integers().between(0, 999))
                .as(Step::new);
    }

    @Property(tries = 300)
    void appliesEachOperationOnceWheneverTheProcessDies(@ForAll @Size(max = 80) List<@From("steps") Step> steps) {
        live(Disk.NONE, steps);
    }

    @Property(tries = 300)
    void appliesEachOperationOnceWhenAPowerLossLeavesWhatWasForced(
            @ForAll @Size(max = 80) List<@From("steps") Step> steps) {
        live(Disk.WHAT_WAS_FORCED, steps);
    }

    @Property(tries = 1_000)
    void appliesEachOperationOnceWhateverAPowerLossLeavesOfWhatWasNotForced(
            @ForAll @Size(max = 80) List<@From("steps") Step> steps) {
        live(Disk.ANYTHING_WRITTEN, steps);
    }

    @Example
    void anOlderRecordOfAnOperationDoesNotDisplaceTheLoggedOne() {
        assertSurvivesPowerLosses("BEGIN 0,BEGIN 0,BEGIN 0,BEGIN 1,BEGIN 0,BEGIN 0,UNDO 0,BEGIN 1,SEND_COMMIT 1");
    }

    @Example
    void aLaterRecordInTheSlotDoesNotDisplaceACommittedTransactionWhoseEndIsNotForced() {
        assertSurvivesPowerLosses("BEGIN 1,SEND_COMMIT 0,HEAR_THAT_IT_COMMITTED 0,BEGIN 2,BEGIN 3,BEGIN 4,BEGIN 5");
    }

    @Example
    void anOperationThatItsTransactionHasTakenBackIsNotAppliedByItsCommit() {
        assertSurvivesPowerLosses("BEGIN 332,UNDO 0,SEND_COMMIT 0,HEAR_THAT_IT_COMMITTED 0");
    }

    @Example
    void theFenceOfATransactionThatWasNeverLoggedDoesNotDecideOnAnEarlierRecord() {
        assertSurvivesPowerLosses(
                "BEGIN 174,SEND_COMMIT 85,HEAR_NOTHING 178,FILL_DISK 583,BEGIN 890,BEGIN 252,SEND_COMMIT 723,"
                        + "BEGIN 265,ADD 932,SEND_COMMIT 352,BEGIN 475,BEGIN 106,SETTLE 559,LOSE_CONNECTION 278,SETTLE 902");
    }

    @Example
    void failsWithoutAFence() {
        assertFails(Disk.NONE, Weakness.SETTLED_WITHOUT_A_FENCE);
    }

    @Example
    void failsWhenClaimsAreFreedBeforeTheFilterHoldsTheOperations() {
        assertFails(Disk.NONE, Weakness.CLAIMS_ARE_FREED_BEFORE_THE_FILTER_HOLDS_THE_OPERATIONS);
    }

    @Example
    void failsWhenClaimsAreNotForced() {
        assertFails(Disk.WHAT_WAS_FORCED, Weakness.CLAIMS_ARE_NOT_FORCED);
    }

    @Example
    void failsWhenTheFiltersAreNotRestored() {
        assertFails(Disk.ANYTHING_WRITTEN, Weakness.FILTERS_ARE_NOT_RESTORED);
    }

    @Example
    void failsWhenTheEndsOfTransactionsAreNotLogged() {
        assertFails(Disk.WHAT_WAS_FORCED, Weakness.ENDS_ARE_NOT_WRITTEN_DOWN);
    }

    @Example
    void failsWhenTheClaimsAreThoseThatTheDiskHas() {
        assertFails(Disk.ANYTHING_WRITTEN, Weakness.CLAIMS_ARE_AS_THE_DISK_HAS_THEM);
    }

    private static void live(Disk disk, List<Step> steps) {
        GuardedLife life = new GuardedLife(disk, Weakness.NONE);
        steps.forEach(life::live);
        life.end();
    }

    /** Whatever the disk has of what was written and not forced. */
    private static void assertSurvivesPowerLosses(String steps) {
        List<Step> before = Step.all(steps);
        for (int amount = 0; amount < 1_000; amount++) {
            live(
                    Disk.ANYTHING_WRITTEN,
                    Stream.concat(before.stream(), Stream.of(new Step(Event.LOSE_POWER, amount)))
                            .toList());
        }
    }

    /** In one of many lives, at the latest. */
    private static void assertFails(Disk disk, Weakness weakness) {
        assertThatExceptionOfType(GuardedLife.NotAppliedOnce.class).isThrownBy(() -> {
            for (long seed = 0; seed < MOST_LIVES; seed++) {
                GuardedLife.live(disk, weakness, seed);
            }
        });
    }
}
