package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterStore;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.plan.Spread;
import dev.fbf.process.Directories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.SplittableRandom;

/** fbf's filter as an application uses it: in a mapped file. */
final class MappedFilter implements OperationFilter {

    /** Long enough that nothing is refreshed while it is measured. */
    private static final Duration WINDOW = Duration.ofHours(24);

    private static final int CHUNK_BYTES = 1 << 20;
    private static final int LINE_BYTES = 64;
    private static final int PRECISION_BITS = 10;

    private final Path temporary = Files.createTempDirectory("fbf-bench-");
    private final FilterPlan plan;
    private FilterStore directory;
    private ForgetfulBloomFilter filter;

    MappedFilter(long bytes, int past, double falsePositiveProbability) throws IOException {
        plan = plan(bytes, past, falsePositiveProbability);
        directory = FilterStore.open(temporary);
        filter = directory.filter("bench", plan);
    }

    /** A plan of about so many bytes. */
    private static FilterPlan plan(long bytes, int past, double falsePositiveProbability) {
        FilterPlan probe = new FilterSizing(1_000, WINDOW, falsePositiveProbability).plan(Rule.SINGLE, past);
        double rate = 1_000.0 * bytes / probe.bytes();
        return new FilterSizing(rate, WINDOW, falsePositiveProbability).plan(Rule.SINGLE, past);
    }

    @Override
    public void fill(SplittableRandom random) throws IOException {
        directory.close();
        fillFile(random);
        directory = FilterStore.open(temporary);
        filter = directory.filter("bench", plan);
        double expected = plan.expectedFpp();
        double estimated = filter.stats().estimatedFpp();
        if (!(estimated > expected / 1.5 && estimated < expected * 1.5)) {
            throw new IllegalStateException("the filter is not full: estimatedFpp=" + estimated + ", not " + expected);
        }
    }

    /**
     * Fills the new filter's file as it would be at the end of a period under the load it is planned for: each live generation
     * has as many positions set, at random. To put that many operations into the larger filters would take minutes.
     */
    private void fillFile(SplittableRandom random) throws IOException {
        // a new filter's live generations have the lowest bits of a lane
        long live = (1L << plan.liveGenerations()) - 1;
        long liveOfWord = Long.divideUnsigned(-1L, -1L >>> (Long.SIZE - plan.laneBits())) * live;
        int density = (int) Math.round(fillOfAGeneration() * (1 << PRECISION_BITS));
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel channel = FileChannel.open(temporary.resolve("bench~1.fbf"), StandardOpenOption.WRITE)) {
            long left = plan.lines() * LINE_BYTES;
            channel.position(plan.bytes() - left);
            while (left > 0) {
                chunk.clear().limit((int) Math.min(CHUNK_BYTES, left));
                while (chunk.hasRemaining()) {
                    chunk.putLong(bits(random, density) & liveOfWord);
                }
                left -= channel.write(chunk.flip());
            }
        }
    }

    /** The part of a generation's positions that a period's operations set. */
    private double fillOfAGeneration() {
        Spread spread = plan.spread();
        double operations =
                plan.sizing().expectedOperationsPerSecond() * plan.period().toMillis() / 1000;
        double setInALine = spread.probesPerLine() * -Math.log1p(-1.0 / spread.slots());
        return -Math.expm1(-operations * spread.lines() / plan.lines() * -Math.expm1(-setInALine));
    }

    /** Random bits, so many of 2^{@value #PRECISION_BITS} of which are set. */
    private static long bits(SplittableRandom random, int density) {
        long bits = 0;
        for (int i = 0; i < PRECISION_BITS; i++) {
            long coins = random.nextLong();
            bits = (density >>> i & 1) == 1 ? bits | coins : bits & coins;
        }
        return bits;
    }

    @Override
    public void put(OperationId id) {
        filter.put(id);
    }

    @Override
    public boolean mightContain(OperationId id) {
        return filter.mightContain(id);
    }

    @Override
    public void close() throws IOException {
        directory.close();
        Directories.delete(temporary);
    }
}
