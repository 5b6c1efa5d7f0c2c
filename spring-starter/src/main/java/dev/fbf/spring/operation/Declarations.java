package dev.fbf.spring.operation;

import dev.fbf.core.DurationText;
import dev.fbf.spring.OperationRefusedException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registry of operations: annotated methods, counters and programs. Thread-safe. */
public final class Declarations {

    private static final Logger log = LoggerFactory.getLogger(Declarations.class);

    private final Set<OperationSettings> methods = ConcurrentHashMap.newKeySet();
    private final Map<OperationSettings, Runnable> counters = new ConcurrentHashMap<>();
    private final Set<OperationSettings> programs = ConcurrentHashMap.newKeySet();

    private final Map<String, OperationSettings> windows = new ConcurrentHashMap<>();

    /** Whether any handler takes the key of its request as an argument. */
    private volatile boolean handlersTakeKeys;

    /** Opens scopes that are registered after the start; null until then. */
    private volatile @Nullable OperationGuards guards;

    /**
     * Opens the scopes of all registered operations. A scope that is registered later, for example by a lazily created bean, is opened at its
     * registration.
     */
    public void open(OperationGuards opening) {
        opening.openAll(all());
        counters.values().forEach(Runnable::run);
        guards = opening;
    }

    public void addMethod(OperationSettings settings) {
        add(settings, methods);
    }

    public void addHandlerWithKey() {
        handlersTakeKeys = true;
    }

    /**
     * Registers {@link dev.fbf.spring.SqlCounters}.
     *
     * @param check checks at start, or now if they are created later, that the counters can be incremented
     * @throws StartException if other counters use the scope: an operation of one could be taken for a retry of an operation of the other
     */
    public void addCounters(OperationSettings settings, Runnable check) {
        putCounters(settings, check);
        openIfLate(settings);
        if (guards != null) {
            check.run();
        }
    }

    private synchronized void putCounters(OperationSettings settings, Runnable check) {
        String scope = settings.scope();
        if (isIn(counters.keySet(), scope)) {
            throw new StartException(
                    "Two SqlCounters have the scope " + scope
                            + ": an operation of one could be taken for a retry of an operation of the other.",
                    "Give each its own scope: SqlCounters.Builder.scope(\"…\"). Counters that are already in use keep "
                            + scope
                            + ", because their operations are recorded under it. If both are meant to be the same"
                            + " counters, define one singleton bean.",
                    null);
        }
        counters.put(settings, check);
    }

    /** Registers the operations of a program. */
    public void addProgram(OperationSettings settings) {
        add(settings, programs);
    }

    private void add(OperationSettings settings, Set<OperationSettings> to) {
        if (settings.retryWindow() != null) {
            addWindow(settings, settings.retryWindow());
        }
        to.add(settings);
        openIfLate(settings);
    }

    /** Records the retry window that a scope has for all its operations. */
    private void addWindow(OperationSettings settings, Duration window) {
        OperationSettings first = windows.get(settings.scope());
        boolean isOpen = guards != null && isIn(all(), settings.scope());
        if (first == null ? isOpen : !window.equals(first.retryWindow())) {
            throw new StartException(
                    settings.declaredBy() + ": its retryWindow, " + DurationText.of(window)
                            + ", is not that of the scope " + settings.scope()
                            + (first == null ? ", which is in use." : ", which " + first.declaredBy() + " has set."),
                    "Set the same retryWindow in both, or " + ScopeDefinition.property(settings.scope())
                            + ".retry-window in place of both.",
                    null);
        }
        windows.put(settings.scope(), settings);
    }

    /** Returns the retry window that a scope's operations declare; null if they declare none. */
    @Nullable Duration retryWindow(String scope) {
        OperationSettings settings = windows.get(scope);
        return settings == null ? null : settings.retryWindow();
    }

    /** Opens the scope of operations that are registered after the start. If that fails for now, the first call opens the scope. */
    private void openIfLate(OperationSettings settings) {
        OperationGuards opening = guards;
        if (opening != null) {
            try {
                opening.of(settings);
            } catch (OperationRefusedException e) {
                log.debug("Scope {} could not be opened yet; its first call opens it.", settings.scope(), e);
            }
        }
    }

    /** Returns the settings of all registered operations, sorted by scope. */
    public List<OperationSettings> all() {
        return Stream.of(methods, counters.keySet(), programs)
                .flatMap(Set::stream)
                .distinct()
                .sorted(Comparator.comparing(OperationSettings::scope))
                .toList();
    }

    /**
     * Returns whether keys of a scope can come from requests. If any handler takes keys, every scope of counters and programs counts,
     * because it is unknown which of them handlers use.
     */
    boolean mayCompareRequests(String scope) {
        return (handlersTakeKeys && (isIn(counters.keySet(), scope) || isIn(programs, scope)))
                || methods.stream().anyMatch(settings -> settings.scope().equals(scope) && settings.comparesRequests());
    }

    private static boolean isIn(Collection<OperationSettings> declared, String scope) {
        return declared.stream().anyMatch(settings -> settings.scope().equals(scope));
    }
}
