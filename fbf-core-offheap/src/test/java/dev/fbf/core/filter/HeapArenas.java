package dev.fbf.core.filter;

import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.List;

/** Arenas on the heap, always with the same positions, so that nothing depends on chance. */
final class HeapArenas implements ArenaStore {

    final List<FilterPlan> created = new ArrayList<>();
    int removed;

    @Override
    public Arena create(FilterPlan plan, FilterClock clock) {
        created.add(plan);
        Words words = new HeapWords(plan.bytes() / Long.BYTES);
        return arena(plan, words, clock);
    }

    @Override
    public void remove(Arena arena) {
        removed++;
    }

    /** Begins in words that are all zero. */
    static Arena arena(FilterPlan plan, Words words, FilterClock clock) {
        Arena.initialize(plan, words, clock);
        words.setRelease(FilterLayout.SECRET_WORD, 1);
        words.setRelease(FilterLayout.SECRET_WORD + 1, 2);
        return new Arena(plan, words, clock);
    }
}
