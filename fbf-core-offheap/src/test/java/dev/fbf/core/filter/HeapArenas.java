package dev.fbf.core.filter;

import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Arenas on the heap, always with the same positions, so that nothing depends on chance. */
final class HeapArenas implements ArenaStore {

    final List<FilterPlan> created = new ArrayList<>();
    int removed;
    int unmapped;
    boolean closed;

    /** Happens before each arena of another plan than the first. */
    Runnable beforeGrowth = () -> {};

    @Override
    public Arena create(FilterPlan plan, FilterClock clock) {
        if (!created.isEmpty() && !plan.equals(created.get(0))) {
            beforeGrowth.run();
        }
        created.add(plan);
        return arena(
                plan,
                new WordsView(new HeapWords(plan.bytes() / Long.BYTES)) {
                    @Override
                    public void unmap() {
                        unmapped++;
                    }
                },
                clock);
    }

    @Override
    public void remove(Arena arena) {
        removed++;
    }

    @Override
    public void close() {
        closed = true;
    }

    /** Makes the positions always the same, so that nothing depends on chance. */
    static ProbeHash fixSecret(Words words) {
        Random random = new Random(1);
        for (int word = 0; word < ProbeHash.SECRET_WORDS; word++) {
            words.setRelease(FilterLayout.SECRET_WORD + word, random.nextLong());
        }
        return new ProbeHash(new ArenaHeader(words).secret());
    }

    /** Begins in words that are all zero. */
    static Arena arena(FilterPlan plan, Words words, FilterClock clock) {
        Arena.initialize(plan, words, clock, ProbeHash.randomSecret());
        fixSecret(words);
        return new Arena(plan, words, clock);
    }
}
