package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import java.util.SplittableRandom;

/** Tells without looking. */
final class NoFilter implements OperationFilter {

    @Override
    public void fill(SplittableRandom random) {
        // there is nothing to fill
    }

    @Override
    public void put(OperationId id) {
        // nothing is kept
    }

    @Override
    public boolean mightContain(OperationId id) {
        return id.high() == 0;
    }

    @Override
    public void close() {
        // there is nothing to close
    }
}
