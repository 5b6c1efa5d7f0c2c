package dev.fbf.db.group;

import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Increments that one statement can apply. The increments of one counter all add or all subtract. So each intermediate value lies between
 * the first and the last, and the database accepts all of them if it accepts the last.
 */
final class Group {

    private static final int LARGEST = 256;

    private final List<GroupedIncrement> increments = new ArrayList<>();
    private final Map<String, Long> sums = new HashMap<>();

    /** Takes the first increments of a queue that can be applied together; returns them in their order. */
    static List<GroupedIncrement> takeFrom(Deque<GroupedIncrement> queue) {
        Group group = new Group();
        for (Iterator<GroupedIncrement> each = queue.iterator();
                each.hasNext() && group.increments.size() < LARGEST; ) {
            GroupedIncrement increment = each.next();
            if (group.fits(increment)) {
                each.remove();
                if (increment.take()) {
                    group.add(increment);
                }
            }
        }
        return group.increments;
    }

    private boolean fits(GroupedIncrement increment) {
        Long sum = sums.get(increment.counter());
        if (sum == null) {
            return true;
        }
        boolean sameWay = sum > 0 == increment.delta() > 0;
        boolean overflows = sum < 0 != sum + increment.delta() < 0;
        return sameWay && !overflows;
    }

    private void add(GroupedIncrement increment) {
        increments.add(increment);
        sums.merge(increment.counter(), increment.delta(), Math::addExact);
    }
}
