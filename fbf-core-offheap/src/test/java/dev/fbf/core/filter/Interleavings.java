package dev.fbf.core.filter;

import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a small program of a few actors again and again, once for each order in which their accesses to some words can
 * come, and once for each value that a read may return in it.
 */
final class Interleavings {

    /*
     * Depth first: `choices` is the path through the tree of schedules, `options` how many ways there were at each
     * step. The next run repeats the path up to the last step that has a way left, and takes that.
     *
     * There are no threads, which would have to wait for one another at every step. An actor is suspended by an
     * exception, and resumed by running it from its beginning: it reads from its log what it read before, and what it
     * wrote before is not written again. So it must not remember anything outside the words, nor know another time
     * than one that stands in them.
     *
     * Reads are weak, as Java's memory model has them. A word keeps what was written to it, with the time: the number of
     * writes before. A read comes at any time from the actor's `acquired` to now, and returns what the word held then.
     *   - a volatile read moves `acquired` to the time at which it came: no later read comes before it;
     *   - a plain read does not, and so may come after reads that follow it: it is enough to let those come earlier;
     *   - a fence moves `acquired` to the latest time at which a plain read before it came;
     *   - a write, and a compare-and-set that fails, moves it to now.
     * So a step is a write, or all reads up to the next write: when each of them came is a choice of its own.
     */
    private final List<Integer> choices = new ArrayList<>();
    private final List<Integer> options = new ArrayList<>();
    private int step;

    /**
     * Runs a program in all orders.
     *
     * @param program called before each run: makes everything anew and adds its actors
     * @param enough when to stop before the last of them
     * @return how many orders it ran in
     */
    int explore(Consumer<Run> program, BooleanSupplier enough) {
        int runs = 0;
        do {
            step = 0;
            Run run = new Run();
            program.accept(run);
            run.execute();
            runs++;
        } while (nextPath() && !enough.getAsBoolean());
        return runs;
    }

    private int choose(int ways) {
        if (ways == 1) {
            return 0;
        }
        if (step == choices.size()) {
            choices.add(0);
            options.add(ways);
        }
        return choices.get(step++);
    }

    private boolean nextPath() {
        for (int last = choices.size() - 1; last >= 0; last--) {
            if (choices.get(last) + 1 < options.get(last)) {
                choices.set(last, choices.get(last) + 1);
                return true;
            }
            choices.remove(last);
            options.remove(last);
        }
        return false;
    }

    /** One run of a program. */
    final class Run {

        private static final long NOTHING = -1;

        private final List<Actor> unfinished = new ArrayList<>();
        private Runnable check = () -> {};
        private int writes;
        private @Nullable Actor running;

        void actor(Runnable body) {
            unfinished.add(new Actor(body, NOTHING, writes));
        }

        /** An actor that alone writes some word: its own reads of that are no steps, no other actor could come between. */
        void soleWriter(long index, Runnable body) {
            unfinished.add(new Actor(body, index, writes));
        }

        void atTheEnd(Runnable check) {
            this.check = check;
        }

        /** Words whose accesses at some indexes are the steps; all others must not matter to more than one actor. */
        Words stepping(Words words, long... indexes) {
            return new Stepping(this, words, indexes);
        }

        private void execute() {
            unfinished.removeIf(actor -> resume(actor, 0));
            while (!unfinished.isEmpty()) {
                int next = choose(unfinished.size());
                if (resume(unfinished.get(next), 1)) {
                    unfinished.remove(next);
                }
            }
            check.run();
        }

        /** Lets an actor take some steps, and go on until right before the next; returns whether it ended. */
        private boolean resume(Actor actor, int steps) {
            actor.position = 0;
            actor.stepsLeft = steps;
            actor.reading = false;
            running = actor;
            try {
                actor.body.run();
                return true;
            } catch (Suspended e) {
                return false;
            } finally {
                running = null;
            }
        }
    }

    private static final class Suspended extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Suspended() {
            super(null, null, false, false);
        }
    }

    private static final class Actor {

        private final Runnable body;
        private final long writesAlone;
        private final List<Long> log = new ArrayList<>();
        private int position;
        private int stepsLeft;

        /** Whether the last access was a read: no step comes before the next. */
        private boolean reading;

        /** No read comes before this time. */
        private int acquired;

        /** When the latest plain read came. */
        private int latestPlainRead;

        /** When each word was last read: its values are seen in their order. */
        private final Map<Long, Integer> lastReads = new HashMap<>();

        Actor(Runnable body, long writesAlone, int acquired) {
            this.body = body;
            this.writesAlone = writesAlone;
            this.acquired = acquired;
        }

        long access(boolean isStep, LongSupplier access) {
            if (position == log.size()) {
                if (isStep && stepsLeft-- == 0) {
                    throw new Suspended();
                }
                log.add(access.getAsLong());
            }
            return log.get(position++);
        }
    }

    private record Written(int time, long value) {}

    private final class Stepping extends WordsView {

        private final Run run;
        private final long[] indexes;
        private static final long NOT_SHARED = -1;

        private final Map<Long, List<Written>> histories = new HashMap<>();

        /** By writes that are no steps: they are read as they are now. */
        private final Set<Long> writtenInPassing = new HashSet<>();

        Stepping(Run run, Words words, long... indexes) {
            super(words);
            this.run = run;
            this.indexes = indexes;
        }

        @Override
        public long position(long index) {
            return index * Long.BYTES;
        }

        @Override
        public long getVolatile(long index) {
            return read(index, actor -> {
                if (writtenInPassing.contains(index)) {
                    actor.acquired = run.writes;
                }
                Written read = find(actor, index);
                actor.acquired = Math.max(actor.acquired, read.time);
                return read.value;
            });
        }

        @Override
        public long getPlainAt(long position) {
            long index = position / Long.BYTES;
            return read(index, actor -> {
                Written read = find(actor, index);
                actor.latestPlainRead = Math.max(actor.latestPlainRead, read.time);
                return read.value;
            });
        }

        @Override
        public void acquireFence() {
            read(NOT_SHARED, actor -> actor.acquired = Math.max(actor.acquired, actor.latestPlainRead));
        }

        @Override
        public void setRelease(long index, long value) {
            write(index, actor -> store(actor, index, value));
        }

        @Override
        public boolean compareAndSet(long index, long expected, long value) {
            return write(index, actor -> {
                        actor.acquired = run.writes;
                        return words.getVolatile(index) == expected ? store(actor, index, value) : 0;
                    })
                    != 0;
        }

        @Override
        public boolean compareAndSetAt(long position, long expected, long value) {
            return compareAndSet(position / Long.BYTES, expected, value);
        }

        private long read(long index, ToLongFunction<Actor> read) {
            Actor actor = run.running;
            if (actor == null) {
                return read.applyAsLong(new Actor(() -> {}, NOT_SHARED, run.writes));
            }
            boolean isStep = isShared(index) && !actor.reading && actor.writesAlone != index;
            actor.reading |= isStep;
            return actor.access(isStep, () -> read.applyAsLong(actor));
        }

        private long write(long index, ToLongFunction<Actor> write) {
            Actor actor = run.running;
            if (actor == null) {
                return write.applyAsLong(new Actor(() -> {}, NOT_SHARED, run.writes));
            }
            actor.reading &= !isShared(index);
            return actor.access(isShared(index), () -> write.applyAsLong(actor));
        }

        /** Of a value only the earliest time matters: it leaves most to later reads. */
        private Written find(Actor actor, long index) {
            int from = Math.max(actor.acquired, actor.lastReads.getOrDefault(index, 0));
            List<Written> history = histories.getOrDefault(index, List.of(new Written(0, words.getVolatile(index))));
            int oldest = history.size() - 1;
            while (history.get(oldest).time > from) {
                oldest--;
            }
            Written chosen = history.get(oldest + choose(history.size() - oldest));
            int time = Math.max(from, chosen.time);
            actor.lastReads.put(index, time);
            return new Written(time, chosen.value);
        }

        /** Returns 1, for success. */
        private long store(Actor actor, long index, long value) {
            if (isShared(index)) {
                histories
                        .computeIfAbsent(index, key -> new ArrayList<>(List.of(new Written(0, words.getVolatile(key)))))
                        .add(new Written(++run.writes, value));
                actor.acquired = run.writes;
            } else {
                writtenInPassing.add(index);
            }
            words.setRelease(index, value);
            return 1;
        }

        private boolean isShared(long index) {
            return LongStream.of(indexes).anyMatch(shared -> shared == index);
        }
    }
}
