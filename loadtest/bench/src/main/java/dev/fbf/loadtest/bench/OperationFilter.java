package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import java.io.IOException;
import java.util.SplittableRandom;

/** What every contender can do; one that is only asked is no more than that. */
@FunctionalInterface
interface OperationFilter extends AutoCloseable {

    boolean mightContain(OperationId id);

    /** Makes the filter as full as it is planned for. */
    default void fill(SplittableRandom random) throws IOException {}

    default void put(OperationId id) {
        throw new UnsupportedOperationException("it is only asked");
    }

    @Override
    default void close() throws IOException {}

    static OperationId draw(SplittableRandom random) {
        return new OperationId(random.nextLong(), random.nextLong());
    }
}
