package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;

/** Replicas that commit and read a scope's lanes. All nodes of the application must use the same setting. */
public enum Consistency {
    /** A majority of all replicas: {@code QUORUM} and {@code SERIAL}. */
    QUORUM(DefaultConsistencyLevel.QUORUM, DefaultConsistencyLevel.SERIAL),
    /**
     * A majority in the local data center: {@code LOCAL_QUORUM} and {@code LOCAL_SERIAL}. Exact only if all nodes of the application
     * that use the scope have the same local data center.
     */
    LOCAL_QUORUM(DefaultConsistencyLevel.LOCAL_QUORUM, DefaultConsistencyLevel.LOCAL_SERIAL);

    private final DefaultConsistencyLevel plain;
    private final DefaultConsistencyLevel serial;

    Consistency(DefaultConsistencyLevel plain, DefaultConsistencyLevel serial) {
        this.plain = plain;
        this.serial = serial;
    }

    /** Returns the level of commits, and of reads of committed values. */
    ConsistencyLevel plain() {
        return plain;
    }

    /** Returns the level of the decision on the next group, and of reads that first complete a group that is being decided. */
    ConsistencyLevel serial() {
        return serial;
    }
}
