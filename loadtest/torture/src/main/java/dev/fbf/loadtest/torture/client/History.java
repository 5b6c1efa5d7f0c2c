package dev.fbf.loadtest.torture.client;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import dev.fbf.loadtest.torture.client.Attempt.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;

/** Everything that clients did and everything that was done to the system, on one time line. */
public final class History {

    private static final int MILLIS_AROUND = 3_000;

    private final Instant begin = Instant.now();
    private final long beginNanos = System.nanoTime();
    private final List<Log> clients = new CopyOnWriteArrayList<>();
    private final List<Note> notes = new ArrayList<>();

    public Instant begin() {
        return begin;
    }

    /** Milliseconds since the time line began. */
    public int millis() {
        return (int) ((System.nanoTime() - beginNanos) / 1_000_000);
    }

    public void note(String what) {
        synchronized (notes) {
            notes.add(new Note(millis(), what));
        }
    }

    /** That of the next client: operations are numbered by the order of the logs. */
    Log newLog() {
        Log log = new Log();
        clients.add(log);
        return log;
    }

    /** Visits each operation that has begun. */
    public void forEachOperation(LongConsumer visitor) {
        for (int client = 0; client < clients.size(); client++) {
            for (int index = 0; index < clients.get(client).operations; index++) {
                visitor.accept(Operations.number(client, index));
            }
        }
    }

    public long operations() {
        return sum(log -> log.operations);
    }

    public long requests() {
        return sum(log -> log.attempts.size());
    }

    public long acknowledged() {
        return sum(log -> log.acknowledged.cardinality());
    }

    private long sum(ToLongFunction<Log> count) {
        return clients.stream().mapToLong(count).sum();
    }

    public Map<Outcome, Long> outcomes() {
        return clients.stream()
                .flatMap(log -> log.attempts.stream())
                .collect(groupingBy(Attempt::outcome, () -> new EnumMap<>(Outcome.class), counting()));
    }

    /** How many responses had each status; those to which there was no response have 0. */
    public Map<Integer, Long> statuses() {
        return clients.stream()
                .flatMap(log -> log.attempts.stream())
                .collect(groupingBy(Attempt::status, TreeMap::new, counting()));
    }

    /** Whether there is such an operation. */
    public boolean knows(long operation) {
        int index = Operations.index(operation);
        return Operations.client(operation) < clients.size() && index >= 0 && index < log(operation).operations;
    }

    public boolean isAcknowledged(long operation) {
        return log(operation).acknowledged.get(Operations.index(operation));
    }

    /** Whether the operation's first request, sent alone, was answered as if it had been applied before. */
    public boolean isMistaken(long operation) {
        return log(operation).mistaken.get(Operations.index(operation));
    }

    public boolean isCut(long operation) {
        return log(operation).cut.get(Operations.index(operation));
    }

    private Log log(long operation) {
        return clients.get(Operations.client(operation));
    }

    /**
     * Tells all that is known of an operation: its requests, what else is given, and what was done to the system around that time.
     *
     * @param more lines by milliseconds since the time line began, such as those that the database tells
     */
    public String of(long operation, Map<Integer, String> more) {
        TreeMap<Integer, List<String>> lines = new TreeMap<>();
        log(operation).attempts.stream()
                .filter(attempt -> attempt.index() == Operations.index(operation))
                .forEach(attempt -> add(lines, attempt.startMillis(), "request  " + attempt));
        more.forEach((millis, line) -> add(lines, millis, "database " + line));
        int first = lines.isEmpty() ? 0 : lines.firstKey() - MILLIS_AROUND;
        int last = lines.isEmpty() ? 0 : lines.lastKey() + MILLIS_AROUND;
        synchronized (notes) {
            notes.stream()
                    .filter(note -> note.millis() >= first && note.millis() <= last)
                    .forEach(note -> add(lines, note.millis(), "fault    " + note.what()));
        }
        StringBuilder text = new StringBuilder();
        lines.forEach((millis, at) ->
                at.forEach(line -> text.append(String.format(Locale.ROOT, "    %9.3f s  %s%n", millis / 1e3, line))));
        return text.toString();
    }

    private static void add(Map<Integer, List<String>> lines, int millis, String line) {
        lines.computeIfAbsent(millis, none -> new ArrayList<>()).add(line);
    }

    private record Note(int millis, String what) {}

    /** What one client did. Written by its client; read by others when that has ended. */
    static final class Log {

        private final List<Attempt> attempts = new ArrayList<>();
        private final BitSet acknowledged = new BitSet();

        /** Acknowledged as replays though nobody had sent them before. */
        private final BitSet mistaken = new BitSet();

        private final BitSet cut = new BitSet();

        private int operations;

        private Log() {}

        int begin() {
            return operations++;
        }

        void add(Attempt attempt) {
            attempts.add(attempt);
            if (attempt.outcome() == Outcome.CUT) {
                cut.set(attempt.index());
            }
            if (attempt.outcome() == Outcome.ACKNOWLEDGED) {
                acknowledged.set(attempt.index());
                if (attempt.kind() == Attempt.Kind.FIRST && attempt.replayed()) {
                    mistaken.set(attempt.index());
                }
            }
        }
    }
}
