package dev.fbf.loadtest.torture;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Sheet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts what happened and what was found. */
final class TortureReport {

    private static final double MAX_MISTAKEN = 0.01;

    private long kills;
    private long whileOpening;
    private long whileClearing;
    private final Map<Scope, Long> within = new EnumMap<>(Scope.class);
    private final Map<Scope, Long> lost = new EnumMap<>(Scope.class);
    private long absent;
    private long mistaken;

    TortureReport() {
        for (Scope scope : Scope.values()) {
            within.put(scope, 0L);
            lost.put(scope, 0L);
        }
    }

    void killed(boolean opened, boolean clearing) {
        kills++;
        whileOpening += opened ? 0 : 1;
        whileClearing += clearing ? 1 : 0;
    }

    /** An acknowledged operation within its window. */
    void lookedFor(Scope scope, boolean found) {
        within.merge(scope, 1L, Long::sum);
        lost.merge(scope, found ? 0L : 1L, Long::sum);
    }

    /** An operation that was never put. */
    void lookedForAbsent(boolean found) {
        absent++;
        mistaken += found ? 1 : 0;
    }

    /** What was lost, and why it is no wonder that nothing was: too little to lose, or filters that just say yes. */
    List<String> failures() {
        List<String> failures = new ArrayList<>();
        lost.forEach((scope, count) -> {
            if (count > 0) {
                failures.add(scope + " lost " + count + " acknowledged operations");
            }
            if (within.getOrDefault(scope, 0L) == 0) {
                failures.add(scope + " had no operation to lose");
            }
        });
        if (mistaken >= absent * MAX_MISTAKEN) {
            failures.add(mistaken + " of " + absent + " operations that were never put were taken for present");
        }
        return failures;
    }

    Sheet sheet() {
        Sheet sheet = new Sheet();
        sheet.add("kills", "kill -9", kills);
        sheet.add("whileOpening", "  while it opened its filters", whileOpening);
        sheet.add("whileClearing", "  while it cleared a generation", whileClearing);
        sheet.json("acknowledgedWithinTheirWindow", within);
        sheet.json("lost", lost);
        for (Scope scope : Scope.values()) {
            String filter = format(
                    "rule %s, %s, a refresh every %s",
                    scope.plan().rule(), scope.plan().window(), scope.plan().period());
            sheet.line("acknowledged, within their window: " + filter, within.getOrDefault(scope, 0L));
            sheet.line("  lost", lost.getOrDefault(scope, 0L));
        }
        sheet.add("neverPut", "never put", absent);
        sheet.add("mistaken", "  taken for present", mistaken);
        return sheet;
    }
}
