package dev.fbf.loadtest.torture.client;

import dev.fbf.loadtest.torture.client.Attempt.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/** Everything that clients did and everything that was done to the system, on one time line. */
public final class History {

    private static final int MILLIS_AROUND = 3_000;

    private final Instant begin = Instant.now();
    private final long beginNanos = System.nanoTime();
    private final List<ClientLog> clients = new ArrayList<>();
    private final List<Note> notes = new ArrayList<>();

    /** When the time line begins. */
    public Instant begin() {
        return begin;
    }

    /** Milliseconds since the time line began. */
    public int millis() {
        return (int) ((System.nanoTime() - beginNanos) / 1_000_000);
    }

    /** Notes what was done to the system now. */
    public void note(String what) {
        synchronized (notes) {
            notes.add(new Note(millis(), what));
        }
    }

    /** Notes are for a reader; operations are numbered by the order of the logs. */
    synchronized int add(ClientLog log) {
        clients.add(log);
        return clients.size() - 1;
    }

    public synchronized long operations() {
        return clients.stream().mapToLong(ClientLog::operations).sum();
    }

    public synchronized long requests() {
        return clients.stream().mapToLong(ClientLog::requests).sum();
    }

    public synchronized long acknowledged() {
        return clients.stream().mapToLong(ClientLog::acknowledged).sum();
    }

    /** How many requests ended how. */
    public synchronized Map<Outcome, Long> outcomes() {
        Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
        clients.forEach(client -> client.countByOutcome(outcomes));
        return outcomes;
    }

    /** Whether there is such an operation. */
    public synchronized boolean knows(long operation) {
        int client = Operations.client(operation);
        return client < clients.size()
                && Operations.index(operation) >= 0
                && Operations.index(operation) < clients.get(client).operations();
    }

    public synchronized boolean isAcknowledged(long operation) {
        return log(operation).isAcknowledged(Operations.index(operation));
    }

    /** Whether the operation's first request, sent alone, was answered as if it had been applied before. */
    public synchronized boolean isMistaken(long operation) {
        return log(operation).isMistaken(Operations.index(operation));
    }

    private ClientLog log(long operation) {
        return clients.get(Operations.client(operation));
    }

    /** Calls for each client with the number of its operations, in the clients' order. */
    public synchronized void forEachClient(IntConsumer operations) {
        clients.forEach(client -> operations.accept(client.operations()));
    }

    /**
     * Tells all that is known of an operation: its requests, what else is given, and what was done to the system around that time.
     *
     * @param more lines by milliseconds since the time line began, such as those that the database tells
     */
    public synchronized String of(long operation, Map<Integer, String> more) {
        TreeMap<Integer, List<String>> lines = new TreeMap<>();
        for (Attempt attempt : log(operation).of(Operations.index(operation))) {
            add(lines, attempt.startMillis(), "request  " + attempt);
        }
        more.forEach((millis, line) -> add(lines, millis, "database " + line));
        int first = lines.isEmpty() ? 0 : lines.firstKey() - MILLIS_AROUND;
        int last = lines.isEmpty() ? 0 : lines.lastKey() + MILLIS_AROUND;
        synchronized (notes) {
            notes.stream()
                    .filter(note -> note.millis() >= first && note.millis() <= last)
                    .forEach(note -> add(lines, note.millis(), "fault    " + note.what()));
        }
        return text(lines);
    }

    /** Of requests that ended alike without a response, one after the other, the first tells it all. */
    private static String text(Map<Integer, List<String>> lines) {
        StringBuilder text = new StringBuilder();
        String before = "";
        int alike = 0;
        for (Map.Entry<Integer, List<String>> at : lines.entrySet()) {
            for (String line : at.getValue()) {
                String kind = line.startsWith("request") ? line.replaceAll(" +[0-9]+ ms", "") : line;
                if (kind.equals(before)) {
                    alike++;
                    continue;
                }
                appendAlike(text, alike);
                alike = 0;
                before = kind;
                text.append(String.format(Locale.ROOT, "    %9.3f s  %s%n", at.getKey() / 1e3, line));
            }
        }
        appendAlike(text, alike);
        return text.toString();
    }

    private static void appendAlike(StringBuilder text, int alike) {
        if (alike > 0) {
            text.append(String.format(Locale.ROOT, "                 and %d more like it%n", alike));
        }
    }

    private static void add(Map<Integer, List<String>> lines, int millis, String line) {
        lines.computeIfAbsent(millis, none -> new ArrayList<>()).add(line);
    }

    private record Note(int millis, String what) {}
}
