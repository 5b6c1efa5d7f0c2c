package dev.fbf.loadtest.listeners;

import dev.fbf.spring.OperationRefusedException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;

/** The page's class for failures that pass. */
class Outages {

    static boolean isPassing(@Nullable Throwable failure) {
        return failure != null
                && ((failure instanceof OperationRefusedException refusal && refusal.isRetryable())
                        || failure instanceof CannotCreateTransactionException
                        || failure instanceof DataAccessResourceFailureException
                        || failure instanceof TransientDataAccessException
                        || isPassing(failure.getCause()));
    }
}
