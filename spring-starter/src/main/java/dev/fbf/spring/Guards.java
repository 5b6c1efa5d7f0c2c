package dev.fbf.spring;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.FilterPlan;
import dev.fbf.core.guard.Admission;
import dev.fbf.core.guard.Guard;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** A guard for each scope. The directory is opened with the first: who guards nothing gets no files. */
final class Guards implements SmartInitializingSingleton, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    private final FbfProperties properties;
    private final GuardedMethods methods;
    private final FilterPlan plan;
    private final Map<String, Guard> guards = new ConcurrentHashMap<>();

    private @Nullable FilterDirectory directory;

    Guards(FbfProperties properties, GuardedMethods methods) {
        this.properties = properties;
        this.methods = methods;
        properties.validate();
        plan = properties.plan();
    }

    /** Opens the filters of the methods known by now, so that what is wrong with them stops the start. */
    @Override
    public void afterSingletonsInstantiated() {
        methods.scopes().forEach(this::guard);
    }

    Admission admit(String scope, OperationId id) {
        return guard(scope).admit(id);
    }

    @Override
    public synchronized void destroy() {
        guards.values().forEach(Guard::stop);
        if (directory != null) {
            directory.close();
        }
    }

    private Guard guard(String scope) {
        Guard guard = guards.get(scope);
        return guard != null ? guard : open(scope);
    }

    private synchronized Guard open(String scope) {
        if (directory == null) {
            directory = FilterDirectory.open(properties.getDirectory());
        }
        FilterDirectory open = directory;
        return guards.computeIfAbsent(scope, name -> {
            Guard guard = new Guard(name, open.filter(name, plan), properties.getMaxClaims());
            log.info("Guarding scope {} in {}: {}", name, open, plan);
            return guard;
        });
    }
}
