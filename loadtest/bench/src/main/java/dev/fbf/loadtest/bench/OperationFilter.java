package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import java.io.IOException;
import java.util.SplittableRandom;

/** What every contender can do. */
interface OperationFilter extends AutoCloseable {

    boolean mightContain(OperationId id);

    /** Makes the filter as full as it is planned for. */
    void fill(SplittableRandom random) throws IOException;

    void put(OperationId id);

    @Override
    default void close() throws IOException {}

    static OperationId draw(SplittableRandom random) {
        return new OperationId(random.nextLong(), random.nextLong());
    }
}
