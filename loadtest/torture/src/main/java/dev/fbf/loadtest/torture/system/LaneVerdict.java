package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import java.util.ArrayList;
import java.util.List;

/** The verdict on counters whose values alone tell how often each operation was applied. */
public final class LaneVerdict {

    private static final String OWN = "op-";

    /** The filters are planned for one in a billion. */
    private static final double EXPECTED_FALSE_POSITIVES = 1e-3;

    private final Verdict verdict;

    public LaneVerdict(Operations operations, History history) {
        verdict = new Verdict(operations, history, EXPECTED_FALSE_POSITIVES);
    }

    /** Takes the value of a counter, which is the number of its operations that were applied. */
    public void value(String counter, long value) {
        if (counter.startsWith(OWN) || Operations.isShared(counter)) {
            for (long i = 0; i < value; i++) {
                verdict.applied(counter.substring(counter.indexOf('-') + 1), counter);
            }
            verdict.value(counter, value);
        }
    }

    public void conclude() {
        verdict.conclude();
    }

    public String explanation() {
        return verdict.explanation();
    }

    public long lost() {
        return verdict.total().lost();
    }

    public long doubled() {
        return verdict.total().doubled();
    }

    /** Why the run has failed; empty if it has not. */
    public List<String> failures() {
        List<String> failures = new ArrayList<>();
        if (!verdict.passed()) {
            failures.add(lost() + " operations were lost, " + doubled() + " doubled");
        }
        return failures;
    }
}
