package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.paper.Hash;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class PackedNumbersPropertyTest {

    private static final int COUNT = 21;

    @Property(tries = 300)
    void areAsThoseOfAnArray(
            @ForAll @IntRange(min = 1, max = 62) int width,
            @ForAll @Size(max = 80) List<@IntRange(min = 0, max = COUNT - 1) Integer> written,
            @ForAll long seed) {
        PackedNumbers packed = new PackedNumbers(COUNT, width);
        long[] array = new long[COUNT];
        for (int i = 0; i < written.size(); i++) {
            int index = written.get(i);
            array[index] = Hash.of(seed, i) & ((1L << width) - 1);
            packed.set(index, array[index]);
        }

        for (int index = 0; index < COUNT; index++) {
            assertThat(packed.get(index)).as("number %d", index).isEqualTo(array[index]);
        }
    }
}
