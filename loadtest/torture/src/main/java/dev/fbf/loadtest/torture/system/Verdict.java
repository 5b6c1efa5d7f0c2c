package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.client.Operations.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * Compares what clients were told with what the database holds. Each operation is applied once if it was acknowledged, at most
 * once if not, and each counter's value is the number of its applications. The operations on a shared counter are judged
 * together. A false positive of a filter counts as lost: fewer than one run in a thousand has one.
 */
final class Verdict {

    private static final int MOST_HISTORIES = 10;
    private static final int MOST_WRONG_VALUES = 100;

    private final Operations operations;
    private final History history;
    private final Set<Long> applied = new HashSet<>();
    private final Map<String, Long> applications = new HashMap<>();
    private final Map<String, SharedCounter> shared = new TreeMap<>();

    /** How the operations came out, by what they add to. */
    final Map<Target, Tally> tallies = new EnumMap<>(Target.class);

    /** Acknowledged and never applied; those on shared counters not among them. */
    final List<Long> lost = new ArrayList<>();

    /** Applied more than once, with how often; those on shared counters not among them. */
    final Map<Long, Integer> doubled = new TreeMap<>();

    /** Applications of what no client has sent. */
    final List<String> foreign = new ArrayList<>();

    final List<String> wrongValues = new ArrayList<>();
    long unacknowledgedApplied;
    long unacknowledgedNew;

    Verdict(Operations operations, History history) {
        this.operations = operations;
        this.history = history;
    }

    /**
     * An application of an operation, as it was written down in the transaction that changed the counter.
     *
     * @param key anything if many operations share the counter: nobody knows which it was
     */
    void applied(String key, String counter) {
        applications.merge(counter, 1L, Long::sum);
        if (Operations.isShared(counter)) {
            shared(counter).applied++;
            return;
        }
        OptionalLong operation = operation(key);
        if (operation.isEmpty()
                || !history.knows(operation.getAsLong())
                || !operations.counter(operation.getAsLong()).equals(counter)) {
            foreign.add(key + " on " + counter);
            return;
        }
        long number = operation.getAsLong();
        if (!applied.add(number)) {
            doubled.merge(number, 2, (before, two) -> before + 1);
        }
    }

    private SharedCounter shared(String counter) {
        return shared.computeIfAbsent(counter, name -> new SharedCounter());
    }

    private OptionalLong operation(String key) {
        try {
            return operations.operation(UUID.fromString(key));
        } catch (IllegalArgumentException e) {
            return OptionalLong.empty();
        }
    }

    /** The value of a counter. All applications must have been given before. */
    void value(String counter, long value) {
        Long expected = applications.remove(counter);
        long count = expected == null ? 0 : expected;
        if (value != count) {
            wrongValues.add(format("%s is %d, but %d operations were applied to it", counter, value, count));
        }
    }

    /** Decides, when all applications and all values have been given. */
    void conclude() {
        applications.forEach(
                (counter, count) -> wrongValues.add(format("%s has no value, but %d applications", counter, count)));
        history.forEachOperation(operation -> judge(operation, applied.contains(operation)));
        for (SharedCounter counter : shared.values()) {
            unacknowledgedApplied += counter.unacknowledgedApplied();
            unacknowledgedNew += counter.unacknowledged - counter.unacknowledgedApplied();
            tallies.merge(Target.SHARED_COUNTER, new Tally(0, 0, counter.lost(), counter.doubled()), Tally::plus);
        }
    }

    private void judge(long operation, boolean isApplied) {
        Target target = operations.target(operation);
        boolean isAcknowledged = history.isAcknowledged(operation);
        boolean isLost = false;
        if (target == Target.SHARED_COUNTER) {
            shared(operations.counter(operation)).take(isAcknowledged);
        } else if (!isAcknowledged) {
            unacknowledgedApplied += isApplied ? 1 : 0;
            unacknowledgedNew += isApplied ? 0 : 1;
        } else if (!isApplied) {
            isLost = true;
            lost.add(operation);
        }
        Tally one = new Tally(1, isAcknowledged ? 1 : 0, isLost ? 1 : 0, doubled.containsKey(operation) ? 1 : 0);
        tallies.merge(target, one, Tally::plus);
    }

    Tally total() {
        return tallies.values().stream().reduce(Tally.NONE, Tally::plus);
    }

    boolean passed() {
        return total().lost() == 0 && total().doubled() == 0 && foreign.isEmpty() && wrongValues.isEmpty();
    }

    /** The histories of what went wrong; of the first few, if that is much. Empty if nothing did. */
    String explanation() {
        StringBuilder text = new StringBuilder();
        explain(text, lost, operation -> "LOST: acknowledged and never applied");
        explain(text, doubled.keySet(), operation -> "DOUBLED: applied " + doubled.get(operation) + " times");
        foreign.stream().limit(MOST_HISTORIES).forEach(what -> text.append(format("  FOREIGN: %s%n", what)));
        shared.forEach((name, counter) -> {
            if (counter.lost() > 0) {
                text.append(format("  LOST: %d on %s: %s%n", counter.lost(), name, counter));
            }
            if (counter.doubled() > 0) {
                text.append(format("  DOUBLED: %d on %s: %s%n", counter.doubled(), name, counter));
            }
        });
        wrongValues.stream().limit(MOST_WRONG_VALUES).forEach(what -> text.append(format("  WRONG VALUE: %s%n", what)));
        return text.toString();
    }

    private void explain(StringBuilder text, Collection<Long> some, Function<Long, String> what) {
        some.stream()
                .limit(MOST_HISTORIES)
                .forEach(operation -> text.append(format(
                        "  operation %s on %s, %s%n%s",
                        operations.key(operation),
                        operations.counter(operation),
                        what.apply(operation),
                        history.of(operation))));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** How operations of one kind came out. */
    record Tally(long operations, long acknowledged, long lost, long doubled) {

        static final Tally NONE = new Tally(0, 0, 0, 0);

        Tally plus(Tally other) {
            return new Tally(
                    operations + other.operations,
                    acknowledged + other.acknowledged,
                    lost + other.lost,
                    doubled + other.doubled);
        }
    }

    /** A counter that is judged by its value: which of its operations were applied is written down nowhere. */
    private static final class SharedCounter {

        private long applied;
        private long acknowledged;
        private long unacknowledged;

        void take(boolean isAcknowledged) {
            acknowledged += isAcknowledged ? 1 : 0;
            unacknowledged += isAcknowledged ? 0 : 1;
        }

        long lost() {
            return Math.max(0, acknowledged - applied);
        }

        /** How many were applied beyond those that were sent. */
        long doubled() {
            return Math.max(0, applied - acknowledged - unacknowledged);
        }

        long unacknowledgedApplied() {
            return Math.min(unacknowledged, Math.max(0, applied - acknowledged));
        }

        @Override
        public String toString() {
            return applied + " operations were applied to it; " + acknowledged + " were acknowledged, " + unacknowledged
                    + " never";
        }
    }
}
