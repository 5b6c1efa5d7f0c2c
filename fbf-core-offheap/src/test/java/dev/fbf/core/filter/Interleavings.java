package dev.fbf.core.filter;

import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a small program of a few threads again and again, once for each order in which their accesses to some words can
 * come. One thread runs at a time; before each access it may have to let another one go first.
 */
final class Interleavings implements AutoCloseable {

    /*
     * Depth first: `choices` is the path through the tree of schedules, `options` how many ways there were at each
     * step. The next run repeats the path up to the last step that has a way left, and takes that.
     */
    private static final long NOTHING = -1;

    private final List<Integer> choices = new ArrayList<>();
    private final List<Integer> options = new ArrayList<>();
    private final ExecutorService executor = Executors.newCachedThreadPool();

    private int step;
    private List<Stepper> unfinished = List.of();
    /** Whose turn it is; null while the program is made, or has ended. Hands all other fields over, too. */
    private volatile @Nullable Stepper running;

    private @Nullable Throwable failure;

    /**
     * Runs a program in all orders.
     *
     * @param program called before each run: makes everything anew and adds its threads
     * @param enough when to stop before the last of them
     * @return how many orders it ran in
     */
    int explore(Consumer<Run> program, BooleanSupplier enough) {
        int runs = 0;
        do {
            Run run = new Run();
            program.accept(run);
            execute(run);
            runs++;
        } while (nextPath() && !enough.getAsBoolean());
        return runs;
    }

    private void execute(Run run) {
        step = 0;
        unfinished = new ArrayList<>(run.threads);
        unfinished.forEach(executor::execute);
        resumeOne();
        awaitTurn(null);
        if (failure != null) {
            throw new AssertionError("a thread failed on the path " + choices, failure);
        }
        run.check.run();
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

    /** Spins: to park and to be woken would take a hundred times as long as a step. */
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it: it only leaves the processor to others
    private void awaitTurn(@Nullable Stepper whose) {
        while (running != whose) {
            Thread.yield();
        }
    }

    private void resumeOne() {
        if (step == choices.size()) {
            choices.add(0);
            options.add(unfinished.size());
        }
        running = unfinished.get(choices.get(step++));
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    /** One run of a program. */
    final class Run {

        private final List<Stepper> threads = new ArrayList<>();
        private Runnable check = () -> {};

        void thread(Runnable body) {
            threads.add(new Stepper(body, NOTHING));
        }

        /** A thread that alone writes some word: its own reads of that are no steps, nobody could come between. */
        void soleWriter(long index, Runnable body) {
            threads.add(new Stepper(body, index));
        }

        void atTheEnd(Runnable check) {
            this.check = check;
        }

        /** Words whose accesses at some indexes are the steps; all others must not matter to more than one thread. */
        Words stepping(Words words, long... indexes) {
            return new Stepping(words, indexes);
        }
    }

    private final class Stepper implements Runnable {

        private final Runnable body;
        private final long writesAlone;

        Stepper(Runnable body, long writesAlone) {
            this.body = body;
            this.writesAlone = writesAlone;
        }

        @Override
        public void run() {
            try {
                awaitTurn(this);
                body.run();
            } catch (Throwable e) {
                failure = e;
            }
            unfinished.remove(this);
            if (unfinished.isEmpty()) {
                running = null;
            } else {
                resumeOne();
            }
        }

        void letAnotherGoFirst() {
            resumeOne();
            awaitTurn(this);
        }
    }

    private final class Stepping extends WordsView {

        private final long[] indexes;

        Stepping(Words words, long... indexes) {
            super(words);
            this.indexes = indexes;
        }

        @Override
        public long getVolatile(long index) {
            Stepper thread = running;
            if (thread == null || thread.writesAlone != index) {
                step(index);
            }
            return super.getVolatile(index);
        }

        @Override
        public void setRelease(long index, long value) {
            step(index);
            super.setRelease(index, value);
        }

        @Override
        public boolean compareAndSet(long index, long expected, long value) {
            step(index);
            return super.compareAndSet(index, expected, value);
        }

        private void step(long index) {
            Stepper thread = running;
            if (thread != null && LongStream.of(indexes).anyMatch(shared -> shared == index)) {
                thread.letAnotherGoFirst();
            }
        }
    }
}
