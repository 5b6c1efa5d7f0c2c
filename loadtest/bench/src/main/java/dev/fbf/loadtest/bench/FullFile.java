package dev.fbf.loadtest.bench;

import dev.fbf.core.filter.FilterPlan;
import dev.fbf.core.model.Spread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * Fills a new filter's file as it would be at the end of a period under the load it is planned for: each live generation
 * has as many positions set, at random. To put that many operations into the larger filters would take minutes.
 */
final class FullFile {

    private static final int CHUNK_BYTES = 1 << 20;
    private static final int LINE_BYTES = 64;
    private static final int PRECISION_BITS = 10;

    private FullFile() {}

    static void fill(Path file, FilterPlan plan, SplittableRandom random) throws IOException {
        // a new filter's live generations have the lowest bits of a lane
        long live = (1L << plan.liveGenerations()) - 1;
        long liveOfWord = Long.divideUnsigned(-1L, -1L >>> (Long.SIZE - plan.laneBits())) * live;
        int density = (int) Math.round(fill(plan) * (1 << PRECISION_BITS));
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
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
    private static double fill(FilterPlan plan) {
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
}
