package dev.fbf.spring;

import io.micrometer.observation.ObservationRegistry;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/** Makes the interceptors that guard methods. What they need is looked up once: a provider does so in each call. */
final class Interception {

    private final Supplier<Guards> guards;
    private final Supplier<KeyResolver> keys;
    private final Supplier<CallerResolver> callers;
    private final Supplier<HttpRequests> http;
    private final Supplier<Patience> patience;
    private final Supplier<ObserveInterceptor.Observations> observations;

    Interception(
            ObjectProvider<Guards> guards,
            ObjectProvider<KeyResolver> keys,
            ObjectProvider<CallerResolver> callers,
            ObjectProvider<HttpRequests> http,
            ObjectProvider<Patience> patience,
            ObjectProvider<ObservationRegistry> observations,
            ObjectProvider<OperationObservationConvention> convention) {
        this.guards = SingletonSupplier.of(guards::getObject);
        this.keys = SingletonSupplier.of(keys::getObject);
        this.callers = SingletonSupplier.of(callers::getObject);
        this.http = SingletonSupplier.of(() -> http.getIfAvailable(() -> HttpRequests.NONE));
        this.patience = SingletonSupplier.of(patience::getObject);
        this.observations = SingletonSupplier.of(() -> new ObserveInterceptor.Observations(
                observations.getIfUnique(() -> ObservationRegistry.NOOP), convention.getIfUnique()));
    }

    /** What comes before all other advice. */
    MethodInterceptor first(Function<MethodInvocation, GuardedMethod> methods) {
        return new ObserveInterceptor(
                new ClaimInterceptor(methods, guards, keys, callers, http, patience), methods, observations);
    }

    /** What comes behind all other advice. */
    MethodInterceptor last() {
        return new EnlistInterceptor();
    }
}
