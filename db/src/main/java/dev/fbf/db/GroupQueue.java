package dev.fbf.db;

import dev.fbf.db.LockedCounters.Wait;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The increments that wait to be applied, by one thread, in groups. Thread-safe.
 *
 * <p>Callers who have just been answered tend to come again at once: so as many as were in the last group are waited for, but
 * no longer than an eighth of the time that it took. Whoever comes alone waits for nobody.
 */
final class GroupQueue {

    /** What part of the time that the last group took is spent on gathering the next at most. */
    private static final int GATHERING = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Deque<GroupedIncrement> waiting = new ArrayDeque<>();
    private final LockedCounters locked = new LockedCounters(System::nanoTime);

    private boolean closed;

    /** How many are worth waiting for. */
    private int expected = 1;

    private long longestGathering;

    /** Adds one; returns false if the queue is closed. */
    boolean add(GroupedIncrement increment) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            if (!locked.join(increment)) {
                waiting.add(increment);
                if (waiting.size() == 1 || waiting.size() >= expected) {
                    arrived.signal();
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return waiting.size() + locked.size();
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more. */
    void close() {
        lock.lock();
        try {
            closed = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there are some to be applied; returns false if it is closed and there are none left. */
    boolean awaitSome() throws InterruptedException {
        lock.lock();
        try {
            while (waiting.isEmpty() && locked.nanosUntilDue() > 0) {
                if (!locked.isEmpty()) {
                    arrived.awaitNanos(locked.nanosUntilDue());
                } else if (closed) {
                    return false;
                } else {
                    arrived.await();
                }
            }
            long left = Math.min(longestGathering, locked.nanosUntilDue());
            while (waiting.size() < expected && !closed && left > 0) {
                left = arrived.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The first that can be applied together. */
    List<GroupedIncrement> take() {
        lock.lock();
        try {
            waiting.removeIf(locked::join);
            return takeFrom(waiting);
        } finally {
            lock.unlock();
        }
    }

    /** Those taken by {@link #take} have been applied, or not. */
    void ended(int size, long nanos) {
        lock.lock();
        try {
            expected = size;
            longestGathering = nanos / GATHERING;
            locked.groupTook(nanos);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Those of locked rows that are to be tried again, as far as they can be applied together. After that, {@link
     * #endTry} is called.
     */
    List<GroupedIncrement> takeLocked() {
        lock.lock();
        try {
            Deque<GroupedIncrement> due = locked.takeDue();
            List<GroupedIncrement> group = takeFrom(due);
            due.forEach(locked::join);
            return group;
        } finally {
            lock.unlock();
        }
    }

    /** For the row of which of these to wait now; null if for none. */
    @Nullable Wait wait(List<GroupedIncrement> group) {
        lock.lock();
        try {
            return locked.wait(group);
        } finally {
            lock.unlock();
        }
    }

    /** It was waited for a row. */
    void waited(Wait wait, long nanos, boolean inVain) {
        lock.lock();
        try {
            locked.waited(wait, nanos, inVain);
        } finally {
            lock.unlock();
        }
    }

    /** Increments of rows that are free after all are the next. */
    void endTry() {
        lock.lock();
        try {
            List<GroupedIncrement> free = locked.endTry();
            for (int i = free.size() - 1; i >= 0; i--) {
                waiting.addFirst(free.get(i));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Has the increments of these counters, whose rows are locked, tried again later; returns the others. */
    List<GroupedIncrement> putBack(List<GroupedIncrement> group, Set<String> counters) {
        List<GroupedIncrement> others = new ArrayList<>();
        List<GroupedIncrement> later = new ArrayList<>();
        group.forEach(increment -> (counters.contains(increment.counter()) ? later : others).add(increment));
        later.removeIf(increment -> !increment.putBack());
        lock.lock();
        try {
            locked.putBack(later);
        } finally {
            lock.unlock();
        }
        return others;
    }

    private static List<GroupedIncrement> takeFrom(Deque<GroupedIncrement> queue) {
        Group group = new Group();
        for (Iterator<GroupedIncrement> each = queue.iterator(); each.hasNext() && !group.isFull(); ) {
            GroupedIncrement increment = each.next();
            if (group.fits(increment)) {
                each.remove();
                if (increment.take()) {
                    group.add(increment);
                }
            }
        }
        return group.increments();
    }
}
