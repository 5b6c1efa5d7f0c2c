package dev.fbf.loadtest.bench;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import dev.fbf.core.OperationId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** Guava's Bloom filters as one would rotate them: a put goes into the newest, a check asks one after another. */
@SuppressWarnings("UnstableApiUsage")
final class GuavaFilters implements OperationFilter {

    private static final Funnel<OperationId> FUNNEL =
            (id, into) -> into.putLong(Objects.requireNonNull(id).high()).putLong(id.low());

    /** In Guava's serial form: the 64-bit variant of its hash, its default. */
    private static final byte MURMUR128_MITZ_64 = 1;

    private final List<BloomFilter<OperationId>> filters = new ArrayList<>();
    private final int generations;
    private final int words;
    private final byte hashes;

    GuavaFilters(long bytes, int generations, double falsePositiveProbability) {
        this.generations = generations;
        double each = falsePositiveProbability / generations; // any of them can be wrong
        words = Math.toIntExact(bytes / generations / Long.BYTES);
        hashes = (byte) Math.round(-Math.log(each) / Math.log(2));
    }

    /**
     * Sets half of the bits at random, in Guava's serial form. Just so is a filter that holds as many operations as it
     * is planned for; putting them would take minutes.
     */
    @Override
    public void fill(SplittableRandom random) throws IOException {
        byte[] header = ByteBuffer.allocate(2 + Integer.BYTES)
                .put(MURMUR128_MITZ_64)
                .put(hashes)
                .putInt(words)
                .array();
        for (int i = 0; i < generations; i++) {
            filters.add(BloomFilter.readFrom(
                    new SequenceInputStream(
                            new ByteArrayInputStream(header), new RandomBits(random, (long) words * Long.BYTES)),
                    FUNNEL));
        }
    }

    @Override
    public void put(OperationId id) {
        filters.get(0).put(id);
    }

    @Override
    public boolean mightContain(OperationId id) {
        for (BloomFilter<OperationId> filter : filters) {
            if (filter.mightContain(id)) {
                return true;
            }
        }
        return false;
    }
}
