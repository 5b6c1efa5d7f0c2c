package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Ids of clicks, as random as digests, none twice. */
final class Ids {

    private final SplittableRandom random;

    Ids(long seed) {
        random = new SplittableRandom(seed);
    }

    OperationId next() {
        return new OperationId(random.nextLong(), random.nextLong());
    }

    List<OperationId> next(int count) {
        return Stream.generate(this::next).limit(count).toList();
    }
}
