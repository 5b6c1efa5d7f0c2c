package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.method.GuardedMethods;
import jakarta.annotation.security.DenyAll;
import jakarta.annotation.security.PermitAll;
import jakarta.annotation.security.RolesAllowed;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.annotation.Secured;
import org.springframework.security.access.prepost.PostFilter;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authorization.method.AuthorizationAdvisor;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.web.access.WebInvocationPrivilegeEvaluator;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/** Handlers on paths that anybody may request: the rules of methods decide whether a login is needed. */
@ExtendWith(OutputCaptureExtension.class)
class OpenHandlersTest {

    private static final LoggingSystem LOGGING = LoggingSystem.get(OpenHandlersTest.class.getClassLoader());

    @BeforeAll
    static void log() {
        LOGGING.setLogLevel(OpenHandlers.class.getName(), LogLevel.INFO);
    }

    @AfterAll
    static void logNoMore() {
        LOGGING.setLogLevel(OpenHandlers.class.getName(), null);
    }

    @Test
    void areThoseThatNoRuleOfAMethodOrItsClassKeepsAnybodyFrom(CapturedOutput output) {
        assertThat(named(output, AllRules.class))
                .containsExactlyInAnyOrder(
                        "noRule",
                        "argument",
                        "permitAll",
                        "permitAllBySpring",
                        "anonymous",
                        "anonymousToo",
                        "filtered",
                        "open");
    }

    /** An annotation alone does nothing: method security must be enabled for it. */
    @Test
    void areAllWhoseRulesAreNotInForce(CapturedOutput output) {
        assertThat(named(output, PrePost.class)).contains("roles", "denyAll", "secured", "rolesOfMeta");
        assertThat(named(output, PrePost.class)).doesNotContain("authority", "meta");
        assertThat(named(output, NoRules.class)).contains("authority", "meta", "ofClass");
    }

    private static List<String> named(CapturedOutput output, Class<?> configuration) {
        int before = output.getOut().length();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(configuration)) {
            ObjectProvider<WebInvocationPrivilegeEvaluator> evaluators =
                    context.getBeanProvider(WebInvocationPrivilegeEvaluator.class);
            ObjectProvider<AuthorizationAdvisor> advisors = context.getBeanProvider(AuthorizationAdvisor.class);
            new OpenHandlers(
                            new GuardedMethods(),
                            () -> Stream.of(new Shop(), new Office())
                                    .flatMap(controller -> Arrays.stream(
                                                    controller.getClass().getDeclaredMethods())
                                            .filter(method -> !method.isSynthetic())
                                            .map(method -> new HandlerMethod(controller, method)))
                                    .collect(Collectors.toMap(
                                            handler -> RequestMappingInfo.paths("/"
                                                            + handler.getMethod()
                                                                    .getName())
                                                    .methods(RequestMethod.POST)
                                                    .build(),
                                            handler -> handler)),
                            new AnonymousAccess(evaluators, advisors))
                    .afterSingletonsInstantiated();
        }
        String log = output.getOut().substring(before);
        return Stream.of(Shop.class, Office.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .map(Method::getName)
                .filter(name -> log.matches("(?s).*POST /" + name + "[,\\]].*"))
                .toList();
    }

    @Configuration
    @EnableMethodSecurity(securedEnabled = true, jsr250Enabled = true)
    static class AllRules {}

    @Configuration
    @EnableMethodSecurity
    static class PrePost {}

    @Configuration
    static class NoRules {}

    @Controller
    static class Shop {

        @IdempotentIncrement
        void noRule() {}

        void argument(IdempotencyKey key) {}

        @PermitAll
        @IdempotentIncrement
        void permitAll() {}

        @PreAuthorize(" permitAll() ")
        @IdempotentIncrement
        void permitAllBySpring() {}

        @PreAuthorize("isAnonymous()")
        @IdempotentIncrement
        void anonymous() {}

        @Secured({"ROLE_USER", "ROLE_ANONYMOUS"})
        @IdempotentIncrement
        void anonymousToo() {}

        @PostFilter("filterObject != null")
        @IdempotentIncrement
        List<String> filtered() {
            return List.of();
        }

        @RolesAllowed("USER")
        @IdempotentIncrement
        void roles() {}

        @DenyAll
        @IdempotentIncrement
        void denyAll() {}

        @Secured("ROLE_USER")
        @IdempotentIncrement
        void secured() {}

        @PreAuthorize("hasAuthority('ORDER')")
        @IdempotentIncrement
        void authority() {}

        @Ordering
        @IdempotentIncrement
        void meta() {}

        /** Both rules hold. */
        @PermitAll
        @PreAuthorize("isAuthenticated()")
        @IdempotentIncrement
        void bothRules() {}

        @MayOrder
        @IdempotentIncrement
        void rolesOfMeta() {}
    }

    @Controller
    @RolesAllowed("USER")
    static class Office {

        @IdempotentIncrement
        void ofClass() {}

        @PermitAll
        @IdempotentIncrement
        void open() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @PreAuthorize("hasAuthority('ORDER')")
    @interface Ordering {}

    @Retention(RetentionPolicy.RUNTIME)
    @Secured("ROLE_USER")
    @interface MayOrder {}
}
