package dev.fbf.spring.jdbc;

import dev.fbf.spring.operation.OperationSettings;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warning, once per method, about a transaction without its own operation that commits during a guarded call. */
final class InnerCommits {

    private static final Logger log = LoggerFactory.getLogger(InnerCommits.class);

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** Called after a COMMIT of this thread. */
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
                            "{}: a separate transaction was committed within a guarded call, for example by"
                                    + " REQUIRES_NEW. It stays committed if the operation is rolled back, a retry"
                                    + " repeats it if the process ends between the two COMMITs, and it needs a second"
                                    + " connection. Omit REQUIRES_NEW, or guard the inner method with its own key.",
                            settings.declaredBy());
        }
    }
}
