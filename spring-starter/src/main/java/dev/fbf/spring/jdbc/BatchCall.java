package dev.fbf.spring.jdbc;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.Refusals;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;

/** Call of a batch: enters its operations in the transaction of this thread, or in a new one, and runs their work there. */
final class BatchCall {

    /*
     * CLAIMED -> ENTERED -> RETURNED
     *
     * The transaction ends the claims of the operations that it has entered. A guarded call without an operation begins or joins it.
     */
    private enum Step {
        CLAIMED,
        ENTERED,
        RETURNED
    }

    private final SqlOperationGuard guard;
    private final GuardedDatabase database;
    private final GuardedCall call;
    private final Map<Operation, Claim> claims;

    private Step step = Step.CLAIMED;
    private @Nullable GuardedTransaction transaction;

    private Map<Claim, Refusal> refused = Map.of();

    private List<Operation> entered = List.of();

    BatchCall(SqlOperationGuard guard, Map<Operation, Claim> claims) {
        this.guard = guard;
        this.claims = claims;
        database = guard.database;
        call = new GuardedCall(guard, null, null);
    }

    /** Runs the work, and determines its outcome; returns the number of new operations, or 0 if their transaction rolled back. */
    <E extends Throwable> int run(IdempotentScope.BatchWork<Operation, E> work, OperationObservationContext observed)
            throws E {
        try {
            call.<Boolean, E>call(() -> {
                runEntered(work);
                return true;
            });
        } catch (Throwable failure) {
            requireAppliedDespite(failure);
        } finally {
            free();
        }
        if (entered.isEmpty() || transaction == null) {
            observed.setOutcome(OperationOutcome.REPLAYED);
            return 0;
        }
        OperationTransaction.State state = transaction.state(first());
        if (!state.isEnd()) {
            observed.setOutcome(OperationOutcome.PENDING);
        } else if (state == OperationTransaction.State.ROLLED_BACK) {
            observed.setOutcome(OperationOutcome.FAILED);
            return 0;
        }
        return entered.size();
    }

    private <E extends Throwable> void runEntered(IdempotentScope.BatchWork<Operation, E> work) throws E {
        GuardedTransaction current = database.requireTransaction();
        current.requireRoom(scope(), claims.size());
        transaction = current;
        try {
            enter(current);
        } catch (Throwable thrown) {
            setRollbackOnly(thrown);
            throw thrown;
        }
        if (entered.isEmpty()) {
            return;
        }
        work.run(entered);
        entered.forEach(operation -> current.returned(claim(operation)));
        step = Step.RETURNED;
    }

    private void enter(GuardedTransaction current) {
        try {
            refused = current.enterAll(
                    claims.values(),
                    database.currentConnection(),
                    call.isMadeIn(current) ? LostWork.CALLERS : LostWork.CALL);
        } catch (SQLException e) {
            throw GuardedDatabase.translate("make the operations of a batch part of a transaction", e);
        }
        step = Step.ENTERED;
        entered = claims.keySet().stream()
                .filter(operation -> !refused.containsKey(claim(operation)))
                .toList();
        for (Refusal refusal : refused.values()) {
            if (refusal != Refusal.APPLIED) {
                throw Refusals.of(refusal, scope(), null);
            }
        }
        entered.forEach(guard::requireNotForgotten); // repeated, because entering may have taken long
    }

    /** Marks the transaction rollback-only: a caller that catches the exception must not commit operations without their work. */
    private void setRollbackOnly(Throwable cause) {
        try {
            database.manager.rollback(database.manager.getTransaction(TransactionDefinition.withDefaults()));
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** Returns only if the operations were applied, and the response to COMMIT is missing. */
    @SuppressWarnings("unchecked") // the exception has the type of the work
    private <E extends Throwable> void requireAppliedDespite(Throwable failure) throws E {
        if (failure instanceof OperationRefusedException && step != Step.RETURNED) {
            throw (E) failure;
        }
        GuardedTransaction its = transaction;
        boolean isOpen =
                its != null && !entered.isEmpty() && !its.state(first()).isEnd();
        Refusal reason =
                its == null || entered.isEmpty() ? null : its.awaitSettled(first(), failure, guard.settleTimeout);
        if (reason == Refusal.APPLIED && step == Step.RETURNED) {
            return;
        }
        if (reason == null && failure instanceof StorageException) {
            reason = Refusal.FAILED;
        } else if (reason == null && !isOpen) {
            reason = call.unavailability(failure, its);
        }
        if (reason != null) {
            throw Refusals.of(reason, scope(), failure);
        }
        throw (E) failure;
    }

    /** Frees the claims that no transaction ends. */
    private void free() {
        SqlOperationGuard.free(step == Step.CLAIMED ? claims.values() : refused.keySet());
    }

    private Claim first() {
        return claim(entered.get(0));
    }

    private Claim claim(Operation operation) {
        return requireNonNull(claims.get(operation));
    }

    private String scope() {
        return guard.settings().scope();
    }
}
