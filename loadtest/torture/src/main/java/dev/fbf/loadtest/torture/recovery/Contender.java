package dev.fbf.loadtest.torture.recovery;

import java.util.ArrayList;
import java.util.List;

/**
 * An application that is killed and started again, and what its clients do.
 *
 * @param mode {@code filter} or {@code ledger}; empty if it runs without fbf
 * @param transactional whether it declares its transactions itself, as an application without fbf has to
 * @param grouped whether operations add to {@code SqlCounters}; else each is a transaction of the application's own
 * @param counters how many counters, in a row each, the operations are spread over
 */
record Contender(String name, String mode, boolean transactional, boolean grouped, int counters, int filterMebibytes) {

    static final int MANY = 1_000;

    static Contender withoutFbf() {
        return new Contender("without fbf", "", true, false, MANY, 0);
    }

    /** Its SQL statements are a transaction each: what it counts and what it writes down can differ. */
    static Contender withoutTransactions() {
        return new Contender("and without transactions", "", false, false, MANY, 0);
    }

    static Contender withFilter(int mebibytes) {
        return new Contender("filter of " + mebibytes + " MiB", "filter", false, false, MANY, mebibytes);
    }

    /** Each mode with own SQL and with {@code SqlCounters}, on one hot row and on many. */
    static List<Contender> ofEachKind() {
        List<Contender> all = new ArrayList<>();
        for (String mode : List.of("filter", "ledger")) {
            for (int counters : new int[] {1, MANY}) {
                String rows = counters == 1 ? "hot row" : "1,000 rows";
                all.add(new Contender(mode + ", own SQL, " + rows, mode, false, false, counters, 0));
                all.add(new Contender(mode + ", SqlCounters, " + rows, mode, false, true, counters, 0));
            }
        }
        return all;
    }

    boolean isGuarded() {
        return !mode.isEmpty();
    }

    /** With a ledger nothing is left in doubt: a retry finds out. */
    boolean settles() {
        return mode.equals("filter");
    }

    /** Where an operation on a counter is sent. */
    String path(int counter) {
        return grouped ? "/counters/counter-" + counter + "/increments" : "/pages/page-" + counter + "/views";
    }
}
