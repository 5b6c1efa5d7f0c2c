package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.client.Operations.Target;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * Compares what clients were told with what the database holds. Each operation is applied once if it was acknowledged, at most
 * once if not, and each counter's value is the number of its applications. The operations on a shared counter are judged
 * together. A false positive of a filter counts as lost: fewer than one run in a thousand has one.
 */
final class Verdict {

    private static final int MOST_HISTORIES = 20;
    private static final int MOST_EXPLANATIONS = 100;

    private final Operations operations;
    private final History history;
    private final LongFunction<String> kind;
    private final Set<Long> applied = new HashSet<>();
    private final Map<String, Long> applications = new TreeMap<>();
    private final Set<String> valued = new HashSet<>();

    /** Of shared counters: which of their operations were applied is written down nowhere. */
    private final Map<String, Tally> shared = new TreeMap<>();

    private final List<String> explanations = new ArrayList<>();

    /** How the operations came out, by their kind. */
    final Map<String, Tally> tallies = new TreeMap<>();

    /** Acknowledged and never applied; those on shared counters not among them. */
    final List<Long> lost = new ArrayList<>();

    /** Applied more than once, with how often; those on shared counters not among them. */
    final Map<Long, Integer> doubled = new TreeMap<>();

    /** Applications of what no client has sent. */
    final List<String> foreign = new ArrayList<>();

    final List<String> wrongValues = new ArrayList<>();
    long unacknowledgedApplied;
    long unacknowledgedNew;

    /** On operations whose kind is what they add to. */
    Verdict(Operations operations, History history) {
        this(operations, history, operation -> operations.target(operation).toString());
    }

    Verdict(Operations operations, History history, LongFunction<String> kind) {
        this.operations = operations;
        this.history = history;
        this.kind = kind;
    }

    /**
     * An application of an operation, as it was written down in the transaction that changed the counter.
     *
     * @param key anything if many operations share the counter: nobody knows which it was
     */
    void applied(String key, String counter) {
        applications.merge(counter, 1L, Long::sum);
        if (Operations.isShared(counter)) {
            shared.putIfAbsent(counter, Tally.NONE);
            return;
        }
        OptionalLong operation = operation(key);
        if (operation.isEmpty()
                || !history.knows(operation.getAsLong())
                || !operations.counter(operation.getAsLong()).equals(counter)) {
            foreign.add(key + " on " + counter);
        } else if (!applied.add(operation.getAsLong())) {
            doubled.merge(operation.getAsLong(), 2, (before, two) -> before + 1);
        }
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
        valued.add(counter);
        long count = applications.getOrDefault(counter, 0L);
        if (value != count) {
            wrongValues.add(counter + " is " + value + ", but " + count + " operations were applied to it");
        }
    }

    /** Decides, when all applications and all values have been given. */
    void conclude() {
        applications.keySet().stream()
                .filter(counter -> !valued.contains(counter))
                .forEach(counter -> wrongValues.add(counter + " has no value, but applications"));
        history.forEachOperation(this::judge);
        lost.forEach(operation -> explain(operation, "LOST: acknowledged and never applied"));
        doubled.forEach((operation, times) -> explain(operation, "DOUBLED: applied " + times + " times"));
        shared.forEach((counter, tally) -> judge(counter, tally, applications.getOrDefault(counter, 0L)));
        foreign.forEach(what -> explanations.add("  FOREIGN: " + what + "\n"));
        wrongValues.forEach(what -> explanations.add("  WRONG VALUE: " + what + "\n"));
    }

    private void judge(long operation) {
        Target target = operations.target(operation);
        boolean isAcknowledged = history.isAcknowledged(operation);
        Tally one = new Tally(1, isAcknowledged ? 1 : 0, 0, doubled.containsKey(operation) ? 1 : 0);
        if (target == Target.SHARED_COUNTER) {
            shared.merge(operations.counter(operation), one, Tally::plus);
        } else if (!isAcknowledged) {
            unacknowledgedApplied += applied.contains(operation) ? 1 : 0;
            unacknowledgedNew += applied.contains(operation) ? 0 : 1;
        } else if (!applied.contains(operation)) {
            one = one.plus(new Tally(0, 0, 1, 0));
            lost.add(operation);
        }
        tallies.merge(kind.apply(operation), one, Tally::plus);
    }

    /** A shared counter is judged by its value. */
    private void judge(String counter, Tally sent, long count) {
        long beyondAcknowledged = Math.max(0, count - sent.acknowledged);
        long unacknowledged = sent.operations - sent.acknowledged;
        unacknowledgedApplied += Math.min(unacknowledged, beyondAcknowledged);
        unacknowledgedNew += Math.max(0, unacknowledged - beyondAcknowledged);
        Tally faults = new Tally(0, 0, Math.max(0, sent.acknowledged - count), Math.max(0, count - sent.operations));
        tallies.merge(Target.SHARED_COUNTER.toString(), faults, Tally::plus);
        if (faults.lost + faults.doubled > 0) {
            String what = faults.lost > 0 ? "  LOST: " + faults.lost : "  DOUBLED: " + faults.doubled;
            explanations.add(what + " on " + counter + ": " + count + " operations were applied to it; "
                    + sent.acknowledged + " were acknowledged, " + unacknowledged + " never\n");
        }
    }

    private void explain(long operation, String what) {
        if (explanations.size() < MOST_HISTORIES) {
            explanations.add("  operation " + operations.key(operation) + " on " + operations.counter(operation) + ", "
                    + what + "\n" + history.of(operation));
        }
    }

    Tally total() {
        return tallies.values().stream().reduce(Tally.NONE, Tally::plus);
    }

    boolean passed() {
        return total().lost() == 0 && total().doubled() == 0 && foreign.isEmpty() && wrongValues.isEmpty();
    }

    /** What went wrong, with the histories of the first few operations. Empty if nothing did. */
    String explanation() {
        return explanations.stream().limit(MOST_EXPLANATIONS).collect(Collectors.joining());
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
}
