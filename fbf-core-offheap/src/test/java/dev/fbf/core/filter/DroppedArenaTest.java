package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.Threads;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The memory of an arena that is no longer checked: it is released when the last reader has gone. */
class DroppedArenaTest {

    private static final FilterPlan PLAN = plan(10);
    private static final FilterPlan LARGER = plan(500).partOf(PLAN.stated(), false);
    private static final OperationId OPERATION = new OperationId(1, 2);

    private final HandClock clock = new HandClock();
    private final List<Unmappable> made = new ArrayList<>();

    /** Does not grow by itself. */
    private static FilterPlan plan(double rate) {
        return new FilterSizing(rate, Duration.ofSeconds(50), 1e-9).plan(Rule.SINGLE, 1);
    }

    @Test
    void countsUntilItIsUnmapped() {
        AdaptiveFilter filter = filter();
        growAndDrop(filter);
        assertThat(filter.stats().arenas()).hasSize(1);
        assertThat(filter.stats().bytes()).isEqualTo(PLAN.bytes() + LARGER.bytes());
        assertThat(filter.stats().droppedBytes()).isEqualTo(PLAN.bytes());
        assertThat(made.get(0).unmapped).isFalse();

        collect(filter);

        assertThat(made.get(0).unmapped).isTrue();
        assertThat(made.get(1).unmapped).isFalse();
        assertThat(filter.stats().bytes()).isEqualTo(LARGER.bytes());
    }

    @Test
    void staysMappedWhileAReaderIsInTheMiddleOfACheckHoweverLong() throws InterruptedException {
        AdaptiveFilter filter = filter();
        filter.put(OPERATION);
        Unmappable first = made.get(0);
        first.holdUp = Thread.currentThread();
        Thread reader = new Thread(() -> filter.mightContain(OPERATION));
        reader.start();
        first.reached.await();
        growAndDrop(filter);
        for (int i = 0; i < 3; i++) {
            clock.advance(PLAN.window());
            collect(filter);
            assertThat(first.unmapped).isFalse();
        }
        first.goOn.countDown();
        reader.join();
        collect(filter);

        assertThat(first.unmapped).isTrue();
        assertThat(first.accessedUnmapped).isFalse();
    }

    /** Its file is unmapped when it is collected. */
    @Test
    void isNotKeptByAFilterThatIsClosed() {
        AdaptiveFilter filter = filter();
        WeakReference<Arena> first = new WeakReference<>(filter.newest());
        growAndDrop(filter);

        filter.close();
        System.gc();

        assertThat(first.refersTo(null)).isTrue();
        assertThat(filter.arenas()).isEmpty();
    }

    /** An access to memory that is no longer mapped would end this process. */
    @Tag("slow")
    @Test
    @EnabledOnOs(OS.LINUX)
    void readersAndWritersGoOnWhileArenasAreMadeAndUnmapped(@TempDir Path directory) throws Exception {
        AdaptiveFilter filter = new ArenaFiles(directory, "views", clock).open(PLAN);
        AtomicBoolean stop = new AtomicBoolean();
        Threads.run(5, thread -> {
            if (thread > 0) {
                use(filter, thread, stop);
                return;
            }
            try {
                for (int life = 0; life < 30; life++) {
                    filter.growTo(life % 2 == 0 ? LARGER : PLAN);
                    clock.advance(PLAN.window());
                    filter.maintain();
                    collect(filter);
                }
            } finally {
                stop.set(true);
            }
        });
        collect(filter);

        assertThat(filter.stats().droppedBytes()).isZero();
        assertThat(mapped(directory)).hasSameSizeAs(filter.arenas());
        filter.close();
    }

    private static void use(AdaptiveFilter filter, int thread, AtomicBoolean stop) {
        for (long i = 0; !stop.get(); i++) {
            OperationId id = new OperationId(thread, i);
            filter.put(id);
            filter.mightContain(id);
            filter.isOfAnotherRequest(id, OPERATION);
            if (i % 1_000 == 0) {
                filter.stats();
                filter.restore(id, OPERATION, filter.millis());
            }
        }
    }

    private static List<String> mapped(Path directory) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(mapping -> mapping.contains(directory.toString()))
                .toList();
    }

    private void growAndDrop(AdaptiveFilter filter) {
        filter.growTo(LARGER);
        clock.advance(PLAN.window());
        filter.maintain();
    }

    private void collect(AdaptiveFilter filter) {
        System.gc();
        clock.advance(Duration.ofMillis(1));
        filter.maintain();
    }

    private AdaptiveFilter filter() {
        ArenaStore store = new ArenaStore() {
            @Override
            public Arena create(FilterPlan plan, FilterClock time) {
                Words words = new HeapWords(plan.bytes() / Long.BYTES);
                Arena.initialize(plan, words, time, ProbeHash.randomSecret());
                Unmappable unmappable = new Unmappable(words);
                made.add(unmappable);
                return new Arena(plan, unmappable, time);
            }

            @Override
            public void remove(Arena arena) {
                // there is no file
            }
        };
        return new AdaptiveFilter("views", PLAN, store, FilterClock.of(clock), List.of());
    }

    /** Words that note whether they were unmapped, and may hold up all threads but one when they read the state. */
    private static final class Unmappable extends WordsView {

        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private volatile boolean unmapped;
        private volatile boolean accessedUnmapped;
        private volatile @Nullable Thread holdUp;

        Unmappable(Words words) {
            super(words);
        }

        @Override
        public void unmap() {
            unmapped = true;
        }

        @Override
        public long getVolatile(long index) {
            Thread maintaining = holdUp;
            if (index == FilterLayout.STATE_WORD && maintaining != null && Thread.currentThread() != maintaining) {
                reached.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            accessedUnmapped |= unmapped;
            return super.getVolatile(index);
        }
    }
}
