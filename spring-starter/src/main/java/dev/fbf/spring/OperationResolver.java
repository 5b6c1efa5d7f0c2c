package dev.fbf.spring;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Tells which operation a guarded call asks for. Thread-safe. */
interface OperationResolver {

    /**
     * Names the operation.
     *
     * @return null if the call has no key and needs none
     * @throws OperationRefusedException if the call's key is not one that is accepted
     */
    @Nullable Operation resolve(GuardedMethod method, MethodInvocation call);
}
