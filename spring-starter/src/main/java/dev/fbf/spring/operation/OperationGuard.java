package dev.fbf.spring.operation;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.db.Response;
import dev.fbf.db.node.ClockSpread;
import dev.fbf.spring.OperationRefusedException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Admits the operations of one definition. Thread-safe. */
public abstract class OperationGuard {

    protected final OperationSettings settings;
    final RetryWindow window;
    private final @Nullable KeptResponses responses;

    /** @param responses null where no responses are kept */
    protected OperationGuard(OperationSettings settings, ScopeDefinition scope, @Nullable KeptResponses responses) {
        this.settings = settings;
        this.responses = responses;
        window = scope.window();
    }

    /** How the operations are applied. */
    public final OperationSettings settings() {
        return settings;
    }

    /**
     * Admits an operation.
     *
     * @throws OperationRefusedException if the operation may not be applied now
     */
    public abstract Admission admit(Operation operation);

    /**
     * Checks the key of an operation that is not known to be applied.
     *
     * @throws OperationRefusedException if the operation may not be applied now
     */
    public final void requireNotForgotten(Operation operation) {
        window.requireNotForgotten(operation.key(), this::clocks);
    }

    /** Returns the differences of the clocks of all hosts. The default is that of a host whose clock is the only one. */
    protected ClockSpread clocks() {
        return ClockSpread.NONE;
    }

    /** Whether this thread holds an operation: in a transaction that is open, or in its work. */
    public abstract boolean isHeldByThisThread(Operation operation);

    /** The open transaction of this thread that an operation would be part of; null if there is none. */
    public abstract CallContext.@Nullable Transaction transaction();

    /** Whether an operation is part of {@link #transaction()}. */
    public abstract boolean isInTransaction(Operation operation);

    /** Begins the way of an operation that was admitted. */
    public abstract Execution begin(Claim claim, Operation operation);

    /** Begins a call that has no key and needs none. */
    public abstract Execution unguarded();

    /** Whether an applied operation was asked for by a request like this one, as far as can be told. */
    public abstract boolean recognizes(Operation operation);

    /** Keeps the response to the request of an operation that was applied; null if nothing is kept. */
    final @Nullable Consumer<Response> responses(Operation operation) {
        return responses == null ? null : responses.of(settings.scope(), operation.caller());
    }

    /** The response when the operation was applied; null if that is not known. */
    public @Nullable Response response(Operation operation) {
        return responses == null ? null : responses.find(settings.scope(), operation);
    }
}
