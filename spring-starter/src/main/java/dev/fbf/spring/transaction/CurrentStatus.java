package dev.fbf.spring.transaction;

import dev.fbf.spring.IdempotentScope;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;

/**
 * Exposure of the transaction that a call begins, through {@code TransactionInterceptor.currentTransactionStatus()}, as by
 * {@code @Transactional}: a method can mark it rollback-only.
 */
final class CurrentStatus extends TransactionAspectSupport {

    private static final long serialVersionUID = 1L;

    private static final CurrentStatus INSTANCE = new CurrentStatus();

    private static final TransactionAttribute ATTRIBUTE = new DefaultTransactionAttribute();

    private CurrentStatus() {}

    static <T extends @Nullable Object, E extends Throwable> T run(
            TransactionStatus transaction, String scope, IdempotentScope.Work<T, E> work) throws E {
        TransactionInfo current = INSTANCE.prepareTransactionInfo(null, ATTRIBUTE, scope, transaction);
        try {
            return work.run();
        } finally {
            INSTANCE.cleanupTransactionInfo(current);
        }
    }
}
