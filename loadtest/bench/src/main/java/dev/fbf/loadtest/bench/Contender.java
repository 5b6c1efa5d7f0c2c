package dev.fbf.loadtest.bench;

import java.io.IOException;
import java.util.SplittableRandom;

/** Filters of about the same size on disk or on the heap, all with a false positive probability of one in a thousand. */
public enum Contender {
    /** One Guava filter: forgets nothing. */
    GUAVA,
    /** Six Guava filters in rotation: N = 4. */
    GUAVA_N4,
    /** Twenty-four Guava filters in rotation: N = 22. */
    GUAVA_N22,
    /** fbf with N = 4. */
    FBF_N4,
    /** fbf with N = 22. */
    FBF_N22;

    private static final double FPP = 1e-3;
    private static final long SEED = 1;

    private OperationFilter sized(long bytes) throws IOException {
        return switch (this) {
            case GUAVA -> new GuavaFilters(bytes, 1, FPP);
            case GUAVA_N4 -> new GuavaFilters(bytes, 6, FPP);
            case GUAVA_N22 -> new GuavaFilters(bytes, 24, FPP);
            case FBF_N4 -> new MappedFilter(bytes, 4, FPP);
            case FBF_N22 -> new MappedFilter(bytes, 22, FPP);
        };
    }

    /** A filter of about so many bytes, holding as many operations as it was planned for. */
    OperationFilter filled(long bytes) throws IOException {
        OperationFilter filter = sized(bytes);
        filter.fill(new SplittableRandom(SEED));
        return filter;
    }
}
