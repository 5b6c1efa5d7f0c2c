package dev.fbf.db;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.connection.SqlFailures;
import java.sql.SQLException;

/** Signals that a statement of fbf has failed: its transaction can only roll back, and has applied no operation. */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final SQLException failure;

    public StoreException(SQLException failure) {
        super(failure.getMessage(), failure);
        this.failure = failure;
    }

    /** {@return the failure of the statement} */
    public SQLException failure() {
        return failure;
    }

    /**
     * {@return the refusal of the operation: {@link Refusal#CONFLICT} if another transaction is the reason, {@link Refusal#UNRECORDABLE} if the
     * server has reported another failure, {@link Refusal#UNREACHABLE} if it has not responded}
     */
    public Refusal refusal() {
        if (SqlFailures.isOfOthers(failure)) {
            return Refusal.CONFLICT;
        }
        return SqlFailures.isReported(failure) ? Refusal.UNRECORDABLE : Refusal.UNREACHABLE;
    }
}
