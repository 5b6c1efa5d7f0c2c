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

/** The increments that wait to be applied in groups, those of locked rows among them. Thread-safe. */
final class GroupQueue extends GatheringQueue<GroupedIncrement> {

    private final LockedCounters locked;

    GroupQueue() {
        this(new LockedCounters(System::nanoTime));
    }

    private GroupQueue(LockedCounters locked) {
        super(locked);
        this.locked = locked;
    }

    /** The first that can be applied together. */
    List<GroupedIncrement> take() {
        return take(waiting -> {
            waiting.removeIf(locked::join);
            return takeFrom(waiting);
        });
    }

    /** Those taken by {@link #take} have been applied, or not. */
    @Override
    public void ended(int size, long nanos) {
        super.ended(size, nanos);
        change(waiting -> locked.groupTook(nanos));
    }

    /**
     * Takes the increments of locked rows that are due for a retry and can be applied together. After the retry, {@link
     * #endTry} is called.
     */
    List<GroupedIncrement> takeLocked() {
        return take(waiting -> {
            Deque<GroupedIncrement> due = locked.takeDue();
            List<GroupedIncrement> group = takeFrom(due);
            due.forEach(locked::join);
            return group;
        });
    }

    /** How long to wait for a row that may be locked. */
    Duration firstWait() {
        return take(waiting -> locked.firstWait());
    }

    /** Selects the locked row to wait for; null to wait for no row. */
    @Nullable Wait wait(List<GroupedIncrement> group) {
        return take(waiting -> Optional.ofNullable(locked.wait(group))).orElse(null);
    }

    /** Notes a wait for a row. */
    void waited(Wait wait, long nanos, boolean inVain) {
        change(waiting -> locked.waited(wait, nanos, inVain));
    }

    /** Ends the retry: increments of rows that are free after all go to the head of the queue. */
    void endTry() {
        change(waiting -> {
            List<GroupedIncrement> free = locked.endTry();
            for (int i = free.size() - 1; i >= 0; i--) {
                waiting.addFirst(free.get(i));
            }
        });
    }

    /** Has the increments of these counters, whose rows are locked, tried again later; returns the others. */
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
