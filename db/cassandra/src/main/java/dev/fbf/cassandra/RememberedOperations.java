package dev.fbf.cassandra;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterStore;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.plan.FilterPlan;

/** Operations of a scope that any node has applied within the window, with their requests. Thread-safe. */
final class RememberedOperations implements AutoCloseable {

    private final FilterStore memory = FilterStore.inMemory(false);
    private final ForgetfulBloomFilter filter;

    RememberedOperations(String scope, FilterPlan plan) {
        filter = memory.filter(scope, plan);
    }

    /** Starts the refreshes of the filter; no operation may be restored after this. */
    void start() {
        memory.start();
    }

    boolean contains(OperationId id) {
        return filter.mightContain(id);
    }

    /** Adds the operations of a group, as applied now. */
    void add(GroupBlob group) {
        for (GroupBlob.Entry entry : group.operations()) {
            filter.putRequest(entry.id(), entry.fingerprint());
            filter.put(entry.id());
        }
    }

    /** Adds the operations of a group as of an earlier time. */
    void restore(GroupBlob group, long millisAgo) {
        long then = filter.millis() - millisAgo;
        group.operations().forEach(entry -> filter.restore(entry.id(), entry.fingerprint(), then));
    }

    ForgetfulBloomFilter filter() {
        return filter;
    }

    @Override
    public void close() {
        memory.close();
    }
}
