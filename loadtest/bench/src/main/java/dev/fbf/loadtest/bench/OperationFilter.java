package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import java.io.IOException;
import java.util.SplittableRandom;

/** What every contender can do. */
interface OperationFilter extends AutoCloseable {

    /** Puts as many operations as the filter is planned for. */
    void fill(SplittableRandom random);

    void put(OperationId id);

    boolean mightContain(OperationId id);

    @Override
    void close() throws IOException;

    static OperationId draw(SplittableRandom random) {
        return new OperationId(random.nextLong(), random.nextLong());
    }
}
