package dev.fbf.core.claim;

import static dev.fbf.core.filter.TinyFilter.OPERATION;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDouble;
import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.TinyFilter;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.Rule;

/** Requests for one operation, each of which applies it if it may. */
final class Requests {

    /** In which order the guard goes about it. */
    enum Order {
        AS_IT_IS,
        FILTER_FIRST,
        FREED_FIRST
    }

    private final TinyFilter filter = TinyFilter.mapped(Rule.SINGLE);
    private final Order order;
    private final ScopeClaims guard;

    Requests(Order order) {
        this.order = order;
        guard = HeapClaims.scope(HeapClaims.of(2), "stress", order == Order.AS_IT_IS ? filter : new Reordering());
    }

    String admitAndApply() {
        Reordering.askedFirst.set(filter.mightContain(OPERATION));
        Admission admission = guard.admit(OPERATION);
        if (admission instanceof Claim claim) {
            claim.applied();
            if (order == Order.FREED_FIRST) {
                filter.put(OPERATION);
            }
            return "CLAIMED";
        }
        return admission.toString();
    }

    /** Has a guard that claims first ask the filter first in effect, and one that puts first put last. */
    private final class Reordering extends FilterDouble {

        private static final ThreadLocal<Boolean> askedFirst = new ThreadLocal<>();

        @Override
        public void put(OperationId id) {
            if (order != Order.FREED_FIRST) {
                filter.put(id);
            }
        }

        @Override
        public boolean mightContain(OperationId id) {
            return order == Order.FILTER_FIRST ? askedFirst.get() : filter.mightContain(id);
        }

        @Override
        public FilterPlan plan() {
            return filter.plan();
        }

        @Override
        public FilterStats stats() {
            return filter.stats();
        }
    }
}
