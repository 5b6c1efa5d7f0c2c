package dev.fbf.loadtest.jcstress;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.summingLong;
import static java.util.stream.Collectors.toList;

import dev.fbf.loadtest.harness.Table;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.TestResult;
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
    record Row(String test, boolean weakened, long allowed, long loss, long broken, Verdict verdict) {

        Row(String test, boolean weakened, long allowed, long loss, long broken) {
            this(test, weakened, allowed, loss, broken, verdict(weakened, allowed, loss, broken));
        }

        private static Verdict verdict(boolean weakened, long allowed, long loss, long broken) {
            if (broken > 0) {
                return Verdict.BROKEN;
            }
            if (weakened) {
                return loss > 0 ? Verdict.FAILED_AS_IT_MUST : Verdict.NOT_SEEN_TO_FAIL;
            }
            return loss > 0 || allowed == 0 ? Verdict.FAILED : Verdict.PASSED;
        }

        /** Adds up the forks of a test. */
        static Row of(String name, List<TestResult> forks) {
            boolean weakened =
                    TestList.getInfo(name).cases().stream().anyMatch(c -> c.expect() == Expect.ACCEPTABLE_INTERESTING);
            Map<Boolean, Long> samples = forks.stream()
                    .flatMap(fork -> fork.grading().gradingResults.values().stream())
                    .collect(partitioningBy(
                            outcome -> outcome.expect == Expect.ACCEPTABLE, summingLong(outcome -> outcome.count)));
            long broken = forks.stream()
                    .filter(fork -> fork.status() != Status.NORMAL)
                    .count();
            return new Row(name, weakened, samples.getOrDefault(true, 0L), samples.getOrDefault(false, 0L), broken);
        }
    }

    static StressReport of(Collection<TestResult> results, boolean strict) {
        Map<String, List<TestResult>> byTest =
                results.stream().collect(groupingBy(TestResult::getName, TreeMap::new, toList()));
        return new StressReport(
                strict,
                byTest.entrySet().stream()
                        .map(test -> Row.of(test.getKey(), test.getValue()))
                        .toList());
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
