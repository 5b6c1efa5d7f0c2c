package dev.fbf.db.group;

import dev.fbf.core.group.GatheringQueue;
import dev.fbf.db.group.GroupCommit.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Queue of increments to apply in groups, including those of locked rows. Thread-safe. */
final class GroupQueue extends GatheringQueue<GroupedIncrement> {

    private final LockedCounters locked;

    GroupQueue() {
        this(new LockedCounters(System::nanoTime));
    }

    private GroupQueue(LockedCounters locked) {
        super(locked);
        this.locked = locked;
    }

    /** Takes the first increments that can be applied together. */
    List<GroupedIncrement> take() {
        return take(waiting -> {
            waiting.removeIf(locked::join);
            return takeFrom(waiting);
        });
    }

    /**
     * Takes the increments of locked rows that are due for a retry and can be applied together. The caller calls {@link #endTry} after
     * the retry.
     */
    List<GroupedIncrement> takeLocked() {
        return take(waiting -> {
            Deque<GroupedIncrement> due = locked.takeDue();
            List<GroupedIncrement> group = takeFrom(due);
            due.forEach(locked::join);
            return group;
        });
    }

    /** Returns the time to wait for a row that may be locked. */
    Duration firstWait() {
        return take(waiting -> locked.firstWait());
    }

    /** Selects the locked row to wait for; null for none. */
    @Nullable Wait wait(List<GroupedIncrement> group) {
        return take(waiting -> Optional.ofNullable(locked.wait(group))).orElse(null);
    }

    /** Records a wait for a row. */
    void waited(Wait wait, long nanos, boolean timedOut) {
        change(waiting -> locked.waited(wait, nanos, timedOut));
    }

    /** Ends the retry. Increments of rows that turned out to be free go to the head of the queue. */
    void endTry() {
        change(waiting -> {
            List<GroupedIncrement> free = locked.endTry();
            for (int i = free.size() - 1; i >= 0; i--) {
                waiting.addFirst(free.get(i));
            }
        });
    }

    /** Sets aside the increments of these counters, whose rows are locked, for a later attempt; returns the others. */
    List<GroupedIncrement> putBack(List<GroupedIncrement> group, Set<String> counters) {
        List<GroupedIncrement> others = new ArrayList<>();
        List<GroupedIncrement> later = new ArrayList<>();
        group.forEach(increment -> (counters.contains(increment.counter()) ? later : others).add(increment));
        later.removeIf(increment -> !increment.putBack());
        change(waiting -> locked.putBack(later));
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
