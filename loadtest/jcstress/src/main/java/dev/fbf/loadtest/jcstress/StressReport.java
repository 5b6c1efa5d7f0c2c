package dev.fbf.loadtest.jcstress;

import dev.fbf.loadtest.harness.Table;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;
import org.openjdk.jcstress.infra.runners.TestList;

/** What a run found. */
record StressReport(boolean strict, List<Row> tests) {

    /** What became of a test. */
    enum Verdict {
        PASSED,
        FAILED,
        /** A weakened variant that failed, as it must. */
        FAILED_AS_IT_MUST,
        /** A weakened variant that was not seen to fail. */
        NOT_SEEN_TO_FAIL,
        /** jcstress could not run it. */
        BROKEN
    }

    /**
     * One test, in all its forks.
     *
     * @param loss how often the outcome was seen that must not be
     */
    record Row(
            String test,
            boolean weakened,
            long allowed,
            long loss,
            long broken,
            Map<String, Long> outcomes,
            Verdict verdict) {

        static Row of(String test, boolean weakened, long allowed, long loss, long broken, Map<String, Long> outcomes) {
            Verdict verdict;
            if (broken > 0) {
                verdict = Verdict.BROKEN;
            } else if (weakened) {
                verdict = loss > 0 ? Verdict.FAILED_AS_IT_MUST : Verdict.NOT_SEEN_TO_FAIL;
            } else {
                verdict = loss > 0 || allowed == 0 ? Verdict.FAILED : Verdict.PASSED;
            }
            return new Row(test, weakened, allowed, loss, broken, outcomes, verdict);
        }
    }

    static StressReport of(Collection<TestResult> results, boolean strict) {
        Map<String, List<TestResult>> byTest = new TreeMap<>();
        for (TestResult result : results) {
            byTest.computeIfAbsent(result.getName(), name -> new ArrayList<>()).add(result);
        }
        List<Row> rows = new ArrayList<>();
        byTest.forEach((name, forks) -> rows.add(row(name, forks)));
        return new StressReport(strict, rows);
    }

    private static Row row(String name, List<TestResult> forks) {
        TestInfo test = TestList.getInfo(name);
        boolean weakened = test.cases().stream().anyMatch(c -> c.expect() == Expect.ACCEPTABLE_INTERESTING);
        long allowed = 0;
        long loss = 0;
        long broken = 0;
        Map<String, Long> outcomes = new TreeMap<>();
        for (TestResult fork : forks) {
            broken += fork.status() == Status.NORMAL ? 0 : 1;
            for (GradingResult outcome : fork.grading().gradingResults.values()) {
                if (outcome.count > 0) {
                    outcomes.merge(outcome.id, outcome.count, Long::sum);
                }
                if (outcome.expect == Expect.ACCEPTABLE) {
                    allowed += outcome.count;
                } else {
                    loss += outcome.count;
                }
            }
        }
        return Row.of(name, weakened, allowed, loss, broken, outcomes);
    }

    /** What must not be; a run of no test is a failure, too. */
    List<String> failures() {
        if (tests.isEmpty()) {
            return List.of("no test was run");
        }
        return tests.stream()
                .filter(row -> row.verdict() == Verdict.FAILED
                        || row.verdict() == Verdict.BROKEN
                        || (strict && row.verdict() == Verdict.NOT_SEEN_TO_FAIL))
                .map(row -> row.test() + ": " + words(row.verdict()))
                .toList();
    }

    String table() {
        return "\n"
                + Table.of(tests)
                        .text(
                                "",
                                row -> row.test().replace("dev.fbf.core.", "") + (row.weakened() ? " (weakened)" : ""))
                        .number("allowed", "%,d", Row::allowed)
                        .number("forbidden", "%,d", Row::loss)
                        .text("verdict", row -> words(row.verdict()));
    }

    private static String words(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
