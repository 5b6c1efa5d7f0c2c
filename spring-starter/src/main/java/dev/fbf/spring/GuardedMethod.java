package dev.fbf.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;

/**
 * An annotated method, read and checked.
 *
 * @param method the method of the bean's class
 * @param scope the scope's name
 * @param key where the key comes from; null for the HTTP header
 * @param caller who calls; null for who is authenticated
 * @param required whether a call without a key is refused
 * @param waits whether a call waits for another one that is applying the same operation
 * @param onDuplicate who answers for an applied operation; null for nobody
 * @param transactionManager whose transactions apply the operations; empty for the only or primary one
 * @param sqlOnly whether a call that is rolled back leaves no trace
 * @param countsOnly whether the method does nothing but add to one of the {@link SqlCounters}, so that it needs no transaction
 * @param handlesRequests whether the method belongs to a web controller
 */
record GuardedMethod(
        Method method,
        String scope,
        @Nullable Expression key,
        @Nullable Expression caller,
        boolean required,
        boolean waits,
        @Nullable Method onDuplicate,
        String transactionManager,
        boolean sqlOnly,
        boolean countsOnly,
        boolean handlesRequests) {

    /** Whether the key comes in the HTTP header. It names the request then; one of an expression names what that is about. */
    boolean hasKeyInHeader() {
        return key == null;
    }
}
