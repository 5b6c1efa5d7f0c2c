package dev.fbf.spring.jdbc;

import dev.fbf.db.Response;
import dev.fbf.spring.operation.KeptResponses;
import dev.fbf.spring.operation.Operation;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** Store of first responses in the database, next to the ledger. */
record LedgerResponses(GuardedDatabase database, Consumer<Response> receiver) implements KeptResponses {

    /** Returns the store; null if the ledger does not keep responses. */
    static @Nullable LedgerResponses of(GuardedDatabase database, Duration retention) {
        Consumer<Response> receiver = database.arbiter.responses(retention);
        return receiver == null ? null : new LedgerResponses(database, receiver);
    }

    @Override
    public void keep(String scope, Operation operation, Response response) {
        receiver.accept(response);
    }

    @Override
    public @Nullable Response find(String scope, Operation operation) {
        try {
            return database.arbiter.response(operation.id(), operation.applied().get());
        } catch (DataAccessException e) {
            throw database.undecided(scope, e);
        }
    }
}
