package dev.fbf.spring.jdbc;

import dev.fbf.spring.operation.OperationSettings;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns, once for each method, of transactions that commit while a guarded call is under way and that have no operation of their own. */
final class InnerCommits {

    private static final Logger log = LoggerFactory.getLogger(InnerCommits.class);

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** Notes that a transaction of this thread has committed. */
    void committed() {
        GuardedCall guarded = GuardedCall.current();
        if (guarded == null || !guarded.hasOperation()) {
            return;
        }
        OperationSettings settings = guarded.settings();
        if (known.add(settings.declaredBy())) {
            log.atWarn()
                    .addKeyValue("scope", settings.scope())
                    .log(
                            "{}: a transaction was committed within a guarded call, as with REQUIRES_NEW. It stays if the operation"
                                    + " is rolled back, a retry repeats it if the process ends between the two COMMITs, and it needs a"
                                    + " second connection. Leave out REQUIRES_NEW, or guard the inner method with a key of its own.",
                            settings.declaredBy());
        }
    }
}
