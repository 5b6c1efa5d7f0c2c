package dev.fbf.cassandra;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterStore;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.plan.FilterPlan;
import org.jspecify.annotations.Nullable;

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

    /** Returns whether an operation was applied for this request; true if that is not known. */
    boolean recognizes(OperationId id, long fingerprint) {
        return !filter.isOfAnotherRequest(id, request(id, fingerprint));
    }

    /** Adds the operations of a group, as applied now. */
    void add(GroupBlob group) {
        for (GroupBlob.Entry entry : group.operations()) {
            OperationId request = request(entry);
            if (request == null) {
                filter.putUnknownRequest(entry.id());
            } else {
                filter.putRequest(request);
            }
            filter.put(entry.id());
        }
    }

    /** Adds the operations of a group as of an earlier time. */
    void restore(GroupBlob group, long millisAgo) {
        long then = filter.millis() - millisAgo;
        group.operations().forEach(entry -> filter.restore(entry.id(), request(entry), then));
    }

    ForgetfulBloomFilter filter() {
        return filter;
    }

    private static @Nullable OperationId request(GroupBlob.Entry entry) {
        Long fingerprint = entry.fingerprint();
        return fingerprint == null ? null : request(entry.id(), fingerprint);
    }

    /** Returns the id of a request. Other requests for the same operation have other ids. */
    private static OperationId request(OperationId id, long fingerprint) {
        return new OperationId(id.high() ^ fingerprint, ~id.low());
    }

    @Override
    public void close() {
        memory.close();
    }
}
