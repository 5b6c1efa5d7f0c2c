package dev.fbf.loadtest.paper.clicks;

import java.lang.ref.Reference;
import java.util.function.Supplier;

/** The memory that objects take on the heap, found by collecting garbage before and after they are made. */
final class HeapGrowth {

    private static final int COLLECTIONS = 3;

    private HeapGrowth() {}

    /** In bytes. Nothing else may allocate meanwhile. */
    static long by(Supplier<?> maker) {
        long before = used();
        Object made = maker.get();
        try {
            return used() - before;
        } finally {
            Reference.reachabilityFence(made);
        }
    }

    private static long used() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
