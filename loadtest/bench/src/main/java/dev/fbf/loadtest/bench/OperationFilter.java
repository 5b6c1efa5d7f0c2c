package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import java.io.IOException;
import java.util.SplittableRandom;

/** What every contender can do; one that is only asked is no more than that. */
@FunctionalInterface
interface OperationFilter extends AutoCloseable {

    boolean mightContain(OperationId id);

    /** Checks many at once; one after another, where the contender cannot do better. */
    default boolean[] mightContainAll(OperationId... ids) {
        boolean[] found = new boolean[ids.length];
        for (int i = 0; i < ids.length; i++) {
            found[i] = mightContain(ids[i]);
        }
        return found;
    }

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
