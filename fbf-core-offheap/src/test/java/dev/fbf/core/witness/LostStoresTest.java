package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.fbf.core.witness.GuardedLife.Step;
import dev.fbf.core.witness.GuardedLife.Weakness;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that dies, or whose stores have no effect as on a full disk: at each store that it makes for a transaction. */
class LostStoresTest {

    /** How a transaction ends in the database, and how much of that its process knows. */
    private enum End {
        COMMITTED("SEND_COMMIT 0,HEAR_THAT_IT_COMMITTED 0"),
        COMMITTED_AND_IN_DOUBT("SEND_COMMIT 0,HEAR_NOTHING 0,SETTLE 0"),
        COMMITTED_AND_DECIDED("SEND_COMMIT 0,HEAR_NOTHING 0,DECIDE 0"),
        COMMITTED_LATE("SEND_COMMIT 0,HEAR_NOTHING 1,SETTLE 0"),
        ROLLED_BACK("ROLL_BACK 0"),
        ROLLED_BACK_AND_IN_DOUBT("SEND_COMMIT 0,HEAR_NOTHING 2,SETTLE 0"),
        WITHDRAWN("WITHDRAW 0"),
        MISPLACED("MISPLACE 0,SETTLE 0");

        private final String steps;

        End(String steps) {
            this.steps = steps;
        }
    }

    private enum Fault {
        THE_PROCESS_DIES,
        ONE_STORE_IS_LOST,
        ALL_FURTHER_STORES_ARE_LOST
    }

    private final GuardedLife life = new GuardedLife(Weakness.NONE);

    @ParameterizedTest
    @EnumSource
    void appliesEachOperationOnceAtWhicheverStoreItHappens(Fault fault) {
        for (End end : End.values()) {
            int store = 0;
            while (new LostStoresTest().happens(end, fault, store)) {
                store++;
            }
            assertThat(store).as("stores of %s", end).isGreaterThanOrEqualTo(3 * ClaimLayout.RECORD_WORDS);
        }
    }

    /** Returns whether there was such a store. */
    private boolean happens(End end, Fault fault, int store) {
        if (fault == Fault.THE_PROCESS_DIES) {
            life.stores.dieAfter(store);
        } else {
            life.stores.loseAfter(store, fault == Fault.ALL_FURTHER_STORES_ARE_LOST);
        }
        live("BEGIN 1,ADD 2,ADD 3");
        live(end.steps);
        for (int operation = 1; operation <= 4; operation++) {
            live("BEGIN " + operation + ",SEND_COMMIT 0,HEAR_THAT_IT_COMMITTED 0");
        }
        boolean happened = life.stores.haveFailed();
        String when = end + ", " + fault + " at store " + store;
        // one alone may be repeated, or be of the value that was there
        if (fault == Fault.ALL_FURTHER_STORES_ARE_LOST) {
            assertThat(life.node.claims.failure() != null).as(when).isEqualTo(happened);
        }

        life.die();

        assertThatCode(life::end).as(when).doesNotThrowAnyException();
        return happened;
    }

    private void live(String steps) {
        Step.all(steps).forEach(life::live);
    }
}
