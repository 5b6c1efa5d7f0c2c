package dev.fbf.loadtest.bench.guard;

import java.util.List;

/**
 * How far counters are from what was answered.
 *
 * @param error by how much all of them together are wrong, as a share: 0.05 means 5 % too much
 * @param wrongCounters how many are not what they must be
 */
record Accuracy(double error, int wrongCounters) {

    static Accuracy of(List<Long> values, List<Long> expected) {
        int wrong = 0;
        for (int counter = 0; counter < expected.size(); counter++) {
            if (!values.get(counter).equals(expected.get(counter))) {
                wrong++;
            }
        }
        double sum = sum(expected);
        return new Accuracy((sum(values) - sum) / sum, wrong);
    }

    private static double sum(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).sum();
    }

    boolean isExact() {
        return wrongCounters == 0;
    }
}
