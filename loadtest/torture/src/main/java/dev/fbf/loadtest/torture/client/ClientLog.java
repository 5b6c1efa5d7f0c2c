package dev.fbf.loadtest.torture.client;

import dev.fbf.loadtest.torture.client.Attempt.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/** What one client did: 16 bytes a request, two bits an operation. Written by its client; read by others when that has ended. */
final class ClientLog {

    private final BitSet acknowledged = new BitSet();
    /** Acknowledged as replays though nobody had sent them before. */
    private final BitSet mistaken = new BitSet();

    private long[] attempts = new long[1 << 10];
    private int used;
    private int operations;

    int begin() {
        return operations++;
    }

    void add(Attempt attempt) {
        if (used == attempts.length) {
            attempts = Arrays.copyOf(attempts, 2 * used);
        }
        attempts[used++] = attempt.first();
        attempts[used++] = attempt.second();
        if (attempt.outcome() == Outcome.ACKNOWLEDGED) {
            acknowledged.set(attempt.index());
            if (attempt.kind() == Attempt.Kind.FIRST && attempt.replayed()) {
                mistaken.set(attempt.index());
            }
        }
    }

    boolean isAcknowledged(int index) {
        return acknowledged.get(index);
    }

    boolean isMistaken(int index) {
        return mistaken.get(index);
    }

    int operations() {
        return operations;
    }

    int requests() {
        return used / 2;
    }

    int acknowledged() {
        return acknowledged.cardinality();
    }

    void countByOutcome(Map<Outcome, Long> counts) {
        for (int i = 0; i < used; i += 2) {
            counts.merge(Attempt.of(attempts[i], attempts[i + 1]).outcome(), 1L, Long::sum);
        }
    }

    List<Attempt> of(int index) {
        List<Attempt> of = new ArrayList<>();
        for (int i = 0; i < used; i += 2) {
            if (attempts[i] >>> Integer.SIZE == index) {
                of.add(Attempt.of(attempts[i], attempts[i + 1]));
            }
        }
        return of;
    }
}
