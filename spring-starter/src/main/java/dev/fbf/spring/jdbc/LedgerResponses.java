package dev.fbf.spring.jdbc;

import dev.fbf.core.OperationId;
import dev.fbf.db.Arbiter;
import dev.fbf.db.Response;
import dev.fbf.spring.operation.KeptResponses;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** First responses in the ledger, beside the rows of their operations. */
record LedgerResponses(Arbiter arbiter, Consumer<Response> receiver) implements KeptResponses {

    /** Returns the store; null if the ledger keeps no responses. */
    static @Nullable LedgerResponses of(Arbiter arbiter) {
        Consumer<Response> receiver = arbiter.responses();
        return receiver == null ? null : new LedgerResponses(arbiter, receiver);
    }

    @Override
    public Consumer<Response> of(String scope, String caller) {
        return receiver;
    }

    @Override
    public @Nullable Response find(String scope, OperationId operation) {
        return arbiter.response(operation);
    }
}
