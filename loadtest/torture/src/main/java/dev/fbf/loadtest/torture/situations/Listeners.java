package dev.fbf.loadtest.torture.situations;

import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** Listeners that call a guarded method without a transaction of their own. */
@Component
class Listeners {

    record Event(TransactionPhase phase, Call call) {}

    private final Guarded guarded;

    Listeners(Guarded guarded) {
        this.guarded = guarded;
    }

    @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
    void beforeCommit(Event event) {
        if (event.phase == TransactionPhase.BEFORE_COMMIT) {
            guarded.count(event.call);
        }
    }

    @TransactionalEventListener
    void afterCommit(Event event) {
        refuse(event, TransactionPhase.AFTER_COMMIT);
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
    void afterRollback(Event event) {
        refuse(event, TransactionPhase.AFTER_ROLLBACK);
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
    void afterCompletion(Event event) {
        refuse(event, TransactionPhase.AFTER_COMPLETION);
    }

    private void refuse(Event event, TransactionPhase phase) {
        if (event.phase == phase) {
            OnPurpose.ignore(IllegalStateException.class, () -> guarded.count(event.call));
        }
    }
}
