package dev.fbf.core.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacesTest {

    /** Of one word, and of several that are not full. */
    private static final int[] SIZES = {1, 63, 64, 65, 130};

    @Test
    void givesOutEachPlaceOnceUntilNoneIsFree() {
        for (int size : SIZES) {
            Places places = new Places(size, size);
            assertThat(IntStream.range(0, size).map(i -> places.take()))
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, size).boxed().toList());
            assertThat(places.taken()).isEqualTo(size);
            assertThat(places.take()).isEqualTo(-1);
        }
    }

    @Test
    void givesOutAPlaceThatWasGivenBack() {
        Places places = new Places(70, 70);
        IntStream.range(0, 70).forEach(i -> places.take());

        places.give(66);

        assertThat(places.taken()).isEqualTo(69);
        assertThat(places.take()).isEqualTo(66);
        assertThat(places.take()).isEqualTo(-1);
    }

    @Test
    void letsAPlaceRestBeforeItIsTakenAgain() {
        Places places = new Places(100, 100);
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            int place = places.take();
            seen.add(place);
            places.give(place);
        }
        assertThat(seen).hasSize(100);
    }

    @Test
    void takesACertainPlaceIfItIsFree() {
        Places places = new Places(3, 3);

        assertThat(places.take(1)).isTrue();
        assertThat(places.take(1)).isFalse();
        assertThat(places.taken()).isEqualTo(1);
        assertThat(List.of(places.take(), places.take())).containsExactlyInAnyOrder(0, 2);
        assertThat(places.take(0)).as("with none free").isFalse();
        assertThat(places.take()).isEqualTo(-1);
        assertThat(places.taken()).isEqualTo(3);
    }

    @Test
    void countsAPlaceBeyondTheEndButNeverGivesItOut() {
        Places places = new Places(2, 200);

        assertThat(places.take(199)).isTrue();
        assertThat(places.take(199)).isFalse();
        assertThat(places.take(64)).isTrue();
        assertThat(places.taken()).isEqualTo(2);
        places.give(199);
        assertThat(places.taken()).isEqualTo(1);

        assertThat(List.of(places.take(), places.take())).containsExactlyInAnyOrder(0, 1);
        assertThat(places.take()).isEqualTo(-1);
        assertThat(places.taken()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 70})
    void isNeverHeldTwiceHoweverManyThreadsTakeIt(int size) throws Exception {
        int threads = 8;
        int turns = 20_000;
        Places places = new Places(size, size + 1);
        AtomicIntegerArray holders = new AtomicIntegerArray(size);
        AtomicIntegerArray uses = new AtomicIntegerArray(size);
        AtomicInteger shared = new AtomicInteger();
        Threads.run(threads, thread -> {
            Random random = new Random(thread);
            List<Integer> mine = new ArrayList<>();
            for (int turn = 0; turn < turns; turn++) {
                int place = random.nextInt(8) == 0 ? certain(places, random.nextInt(size)) : places.take();
                if (place >= 0) {
                    shared.addAndGet(holders.getAndIncrement(place));
                    uses.incrementAndGet(place);
                    mine.add(place);
                }
                while (!mine.isEmpty() && (mine.size() > size / threads || place < 0)) {
                    int given = mine.remove(random.nextInt(mine.size()));
                    holders.decrementAndGet(given);
                    places.give(given);
                }
            }
            mine.forEach(place -> {
                holders.decrementAndGet(place);
                places.give(place);
            });
        });

        assertThat(shared).as("places held twice").hasValue(0);
        assertThat(IntStream.range(0, size).map(uses::get)).allMatch(count -> count > 0);
        assertThat(places.taken()).isZero();
        assertThat(IntStream.range(0, size).map(i -> places.take()).distinct()).hasSize(size);
    }

    private static int certain(Places places, int place) {
        return places.take(place) ? place : -1;
    }
}
