package dev.fbf.spring.web;

import dev.fbf.spring.operation.GuardedMethod;
import dev.fbf.spring.operation.GuardedMethodException;
import dev.fbf.spring.operation.GuardedMethods;
import java.util.stream.Stream;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Stops the start of a reactive web application with methods that need a request of Servlet's: each call would fail. */
record ReactiveRequests(GuardedMethods methods) implements SmartInitializingSingleton {

    @Override
    public void afterSingletonsInstantiated() {
        Stream.concat(
                        methods.annotated().stream()
                                .filter(method -> method.handlesRequests() || method.hasKeyInHeader())
                                .map(GuardedMethod::method),
                        methods.takingKeys().stream())
                .findFirst()
                .ifPresent(method -> {
                    throw new GuardedMethodException(
                            method,
                            "this is a reactive web application (WebFlux), and fbf reads keys from requests of Spring MVC only, so"
                                    + " each call would fail.",
                            "Use spring-boot-starter-webmvc in place of spring-boot-starter-webflux; if both are on the class path, set"
                                    + " spring.main.web-application-type=servlet. To stay with WebFlux, guard a method of a service"
                                    + " with key = \"#…\", and call that on a thread that may block, as with"
                                    + " Schedulers.boundedElastic().");
                });
    }
}
