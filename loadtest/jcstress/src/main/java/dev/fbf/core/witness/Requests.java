package dev.fbf.core.witness;

import static dev.fbf.core.filter.TinyFilter.OPERATION;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.filter.FilterDouble;
import dev.fbf.core.filter.TinyFilter;
import dev.fbf.core.plan.Rule;

/** Requests for one operation, each of which applies it if it may. */
final class Requests {

    private final TinyFilter filter = TinyFilter.mapped(Rule.SINGLE);
    private static final ThreadLocal<Boolean> askedFirst = new ThreadLocal<>();
    private final ScopeClaims claims;

    /** @param filterFirst whether the filter is in effect asked before the claim is taken */
    Requests(boolean filterFirst) {
        claims = HeapClaims.scope(HeapClaims.of(2), "stress", filterFirst ? new AskedFirst() : filter);
    }

    String admitAndApply() {
        askedFirst.set(filter.mightContain(OPERATION));
        Admission admission = claims.admit(OPERATION, null);
        if (admission instanceof Claim claim) {
            claim.applied();
            return "CLAIMED";
        }
        return admission.toString();
    }

    private final class AskedFirst extends FilterDouble {

        @Override
        public void put(OperationId id) {
            filter.put(id);
        }

        @Override
        public boolean mightContain(OperationId id) {
            return askedFirst.get();
        }
    }
}
