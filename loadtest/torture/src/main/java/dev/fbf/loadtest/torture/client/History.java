package dev.fbf.loadtest.torture.client;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** Everything that clients did and everything that was done to the system, on one time line. Thread-safe. */
public final class History {

    private static final int MILLIS_AROUND = 3_000;

    private final long beginNanos = System.nanoTime();
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Note> notes = new ArrayList<>();
    private final BitSet acknowledged = new BitSet();
    private int operations;

    /** How a request ended, as its client saw it. */
    public enum Outcome {
        ACKNOWLEDGED,
        /** 409: another request of the same operation is at work. */
        IN_PROGRESS,
        /** 503. */
        UNAVAILABLE,
        /** Any other answer. */
        REFUSED,
        TIMED_OUT,
        /** The connection broke after the request had begun. */
        CUT,
        /** There was no connection to send it on. */
        NOT_CONNECTED;

        static Outcome of(int status) {
            return switch (status / 100 == 2 ? 200 : status) {
                case 200 -> ACKNOWLEDGED;
                case 409 -> IN_PROGRESS;
                case 503 -> UNAVAILABLE;
                default -> REFUSED;
            };
        }
    }

    enum Kind {
        FIRST,
        RETRY,
        /** First, at the same time as another one. */
        TWIN,
        /** After it was acknowledged. */
        REPLAY
    }

    /**
     * A request.
     *
     * @param startMillis since the time line began
     * @param status the response's; 0 without one
     */
    record Attempt(long operation, int startMillis, int durationMillis, int status, Outcome outcome, Kind kind) {

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%-6s took %5d ms: %s%s",
                    kind.name().toLowerCase(Locale.ROOT),
                    durationMillis,
                    outcome.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    status == 0 ? "" : " " + status);
        }
    }

    private record Note(int millis, String what) {}

    /** Milliseconds since the time line began. */
    public int millis() {
        return (int) ((System.nanoTime() - beginNanos) / 1_000_000);
    }

    public synchronized void note(String what) {
        notes.add(new Note(millis(), what));
    }

    /** The next operation begins; returns its number, from 0 on. */
    synchronized long beginOperation() {
        return operations++;
    }

    synchronized void add(Attempt attempt) {
        attempts.add(attempt);
        if (attempt.outcome == Outcome.ACKNOWLEDGED) {
            acknowledged.set((int) attempt.operation);
        }
    }

    /** Visits each operation that has begun. */
    public synchronized void forEachOperation(LongConsumer visitor) {
        for (long operation = 0; operation < operations; operation++) {
            visitor.accept(operation);
        }
    }

    public synchronized long operations() {
        return operations;
    }

    public synchronized long requests() {
        return attempts.size();
    }

    public synchronized long acknowledged() {
        return acknowledged.cardinality();
    }

    public synchronized Map<Outcome, Long> outcomes() {
        return attempts.stream().collect(groupingBy(Attempt::outcome, () -> new EnumMap<>(Outcome.class), counting()));
    }

    /** Whether there is such an operation. */
    public synchronized boolean knows(long operation) {
        return operation >= 0 && operation < operations;
    }

    public synchronized boolean isAcknowledged(long operation) {
        return acknowledged.get((int) operation);
    }

    /** Returns all that is known of an operation: its requests, and what was done to the system around that time. */
    public synchronized String of(long operation) {
        TreeMap<Integer, List<String>> lines = new TreeMap<>();
        attempts.stream()
                .filter(attempt -> attempt.operation == operation)
                .forEach(attempt -> add(lines, attempt.startMillis, "request  " + attempt));
        int first = lines.isEmpty() ? 0 : lines.firstKey() - MILLIS_AROUND;
        int last = lines.isEmpty() ? 0 : lines.lastKey() + MILLIS_AROUND;
        notes.stream()
                .filter(note -> note.millis >= first && note.millis <= last)
                .forEach(note -> add(lines, note.millis, "fault    " + note.what));
        StringBuilder text = new StringBuilder();
        lines.forEach((millis, at) ->
                at.forEach(line -> text.append(String.format(Locale.ROOT, "    %9.3f s  %s%n", millis / 1e3, line))));
        return text.toString();
    }

    private static void add(Map<Integer, List<String>> lines, int millis, String line) {
        lines.computeIfAbsent(millis, none -> new ArrayList<>()).add(line);
    }
}
