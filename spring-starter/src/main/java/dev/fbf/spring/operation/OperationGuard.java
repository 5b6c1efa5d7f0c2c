package dev.fbf.spring.operation;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.db.Response;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Admits the operations that are declared together. Thread-safe. */
public interface OperationGuard {

    /** How the operations are applied. */
    OperationSettings settings();

    /** How long the operations are surely remembered. */
    RetryWindow window();

    Admission admit(Operation operation);

    /** Whether this thread holds an operation: in a transaction that is open, or in its work. */
    boolean isHeldByThisThread(Operation operation);

    /** The open transaction of this thread that an operation would be part of; null if there is none. */
    CallContext.@Nullable Transaction transaction();

    /** Whether an operation is part of {@link #transaction()}. */
    boolean isInTransaction(Operation operation);

    /** Begins the way of an operation that was admitted. */
    Execution begin(Claim claim, Operation operation);

    /** Begins a call that has no key and needs none. */
    Execution unguarded();

    /** Whether an applied operation was asked for by a request like this one, as far as can be told. */
    boolean recognizes(Operation operation);

    /** Keeps the response to the request of an operation that was applied; null if nothing is kept. */
    @Nullable Consumer<Response> responses(Operation operation);

    /** The response when the operation was applied; null if that is not known. */
    @Nullable Response response(Operation operation);
}
