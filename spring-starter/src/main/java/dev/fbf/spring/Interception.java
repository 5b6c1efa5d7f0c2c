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
    private final OperationResolver annotated;
    private final OperationResolver counters;
    private final Supplier<HttpRequests> http;
    private final Supplier<Patience> patience;
    private final Supplier<ObserveInterceptor.Observations> observations;

    Interception(
            ObjectProvider<Guards> guards,
            ObjectProvider<KeyResolver> keys,
            ObjectProvider<CallerResolver> callers,
            ObjectProvider<RetryWindows> windows,
            ObjectProvider<HttpRequests> http,
            ObjectProvider<Patience> patience,
            ObjectProvider<ObservationRegistry> observations,
            ObjectProvider<OperationObservationConvention> convention) {
        this.guards = SingletonSupplier.of(guards::getObject);
        this.http = SingletonSupplier.of(() -> http.getIfAvailable(() -> HttpRequests.NONE));
        annotated = new AnnotatedOperationResolver(
                SingletonSupplier.of(keys::getObject), SingletonSupplier.of(callers::getObject), this.http);
        counters = new CounterOperationResolver(SingletonSupplier.of(windows::getObject));
        this.patience = SingletonSupplier.of(patience::getObject);
        this.observations = SingletonSupplier.of(() -> new ObserveInterceptor.Observations(
                observations.getIfUnique(() -> ObservationRegistry.NOOP), convention.getIfUnique()));
    }

    /** What comes before all other advice of annotated methods. */
    MethodInterceptor first(Function<MethodInvocation, GuardedMethod> methods) {
        return first(methods, annotated);
    }

    /** What comes first in calls of {@link KeyedCounters}. */
    MethodInterceptor firstOfCounters(Function<MethodInvocation, GuardedMethod> methods) {
        return first(methods, counters);
    }

    private MethodInterceptor first(Function<MethodInvocation, GuardedMethod> methods, OperationResolver operations) {
        return new ObserveInterceptor(
                new ClaimInterceptor(methods, guards, operations, http, patience), methods, observations);
    }

    /** What comes behind all other advice. */
    MethodInterceptor last() {
        return new EnlistInterceptor();
    }
}
