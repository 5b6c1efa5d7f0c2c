package dev.fbf.spring.cassandra;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.cassandra.CassandraForTests;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Two nodes of an application that has nothing but Cassandra, on a real one. All classes of this JVM share them. */
final class TwoNodes implements BeforeAllCallback, AfterEachCallback {

    private static final CassandraForTests cassandra = new CassandraForTests();

    private static @Nullable CountingNode first;
    private static @Nullable CountingNode other;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        if (first == null) {
            cassandra.beforeAll(context);
            first = start();
            other = start();
            context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL).put(TwoNodes.class, (AutoCloseable)
                    () -> close(context));
        }
    }

    private static void close(ExtensionContext context) throws Exception {
        other().close();
        first().close();
        cassandra.afterAll(context);
    }

    /** No operation is held after a test. */
    @Override
    public void afterEach(ExtensionContext context) {
        LaneGuards guards = first().bean(LaneGuards.class);
        assertThat(guards.counters("counters").held()).isZero();
        assertThat(guards.counters("views").held()).isZero();
    }

    /** Starts one more. */
    static CountingNode start(String... settings) throws Exception {
        return startThrough(CassandraForTests.address().getPort(), settings);
    }

    /** Starts one more, which finds Cassandra at this port. */
    static CountingNode startThrough(int port, String... settings) {
        return CountingNode.start(port, cassandra.keyspace(), settings);
    }

    static CountingNode first() {
        return requireNonNull(first);
    }

    static CountingNode other() {
        return requireNonNull(other);
    }

    static void restartOther() throws Exception {
        other().close();
        other = start();
    }
}
