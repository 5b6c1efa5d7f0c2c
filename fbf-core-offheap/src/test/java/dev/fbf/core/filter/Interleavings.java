package dev.fbf.core.filter;

import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a small program of a few actors again and again, once for each order in which their accesses to some words can
 * come.
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
        private @Nullable Actor running;

        void actor(Runnable body) {
            unfinished.add(new Actor(body, NOTHING));
        }

        /** An actor that alone writes some word: its own reads of that are no steps, nobody could come between. */
        void soleWriter(long index, Runnable body) {
            unfinished.add(new Actor(body, index));
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

        Actor(Runnable body, long writesAlone) {
            this.body = body;
            this.writesAlone = writesAlone;
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

    private static final class Stepping extends WordsView {

        private final Run run;
        private final long[] indexes;

        Stepping(Run run, Words words, long... indexes) {
            super(words);
            this.run = run;
            this.indexes = indexes;
        }

        @Override
        public long getVolatile(long index) {
            boolean isStep = run.running == null || run.running.writesAlone != index;
            return access(isStep, index, () -> words.getVolatile(index));
        }

        @Override
        public void setRelease(long index, long value) {
            access(true, index, () -> {
                words.setRelease(index, value);
                return 0;
            });
        }

        @Override
        public boolean compareAndSet(long index, long expected, long value) {
            return access(true, index, () -> words.compareAndSet(index, expected, value) ? 1 : 0) == 1;
        }

        private long access(boolean isStep, long index, LongSupplier access) {
            Actor actor = run.running;
            return actor == null ? access.getAsLong() : actor.access(isStep && isShared(index), access);
        }

        private boolean isShared(long index) {
            return LongStream.of(indexes).anyMatch(shared -> shared == index);
        }
    }
}
