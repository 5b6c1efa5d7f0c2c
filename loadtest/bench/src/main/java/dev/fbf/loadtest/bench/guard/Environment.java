package dev.fbf.loadtest.bench.guard;

import org.jspecify.annotations.Nullable;

/**
 * What a run ran on.
 *
 * @param system the operating system, its version and the processor's architecture
 * @param cores how many processors there are for the client and the servers together
 * @param jdk the Java virtual machine and its version
 * @param threads whether the clients are platform or virtual threads
 * @param database the database and its version
 * @param redis Redis and its version; null if there was none
 */
record Environment(
        String system,
        int cores,
        String jdk,
        String threads,
        String database,
        @Nullable String redis) {

    static Environment of(BenchDatabase database, @Nullable RedisServer redis, boolean virtual) {
        return new Environment(
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                virtual ? "virtual threads" : "platform threads",
                database.version(),
                redis == null ? null : redis.version());
    }

    @Override
    public String toString() {
        return system + ", " + cores + " cores, " + jdk + ", " + threads + ", " + database
                + (redis == null ? "" : ", " + redis);
    }
}
