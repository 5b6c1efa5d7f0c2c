package dev.fbf.loadtest.paper;

/** Remembers operations, for a counter that is to count each once. */
interface Memory {

    /** Whether the operation seems new; then it is remembered. */
    boolean isNew(long operation);

    /** Is told at the end of every second. */
    void secondGoneBy();

    /** A forgetful Bloom filter that is refreshed every so many seconds. */
    static Memory of(SimulatedFilter filter, int periodSeconds) {
        return new Memory() {
            private int seconds;

            @Override
            public boolean isNew(long operation) {
                return filter.insert(operation);
            }

            @Override
            public void secondGoneBy() {
                if (++seconds % periodSeconds == 0) {
                    filter.refresh();
                }
            }
        };
    }
}
