package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.method.AuthorizationManagerBeforeMethodInterceptor;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.annotation.Transactional;

/** Spring's own advice around guarded methods, on methods, classes and interfaces. */
@ExtendWith(OutputCaptureExtension.class)
@GuardedApp(beans = SpringsAdviceTest.App.class)
class SpringsAdviceTest extends CountingAppTest {

    private final String key = CallerOfTheTest.current();

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @ParameterizedTest
    @ValueSource(classes = {OnMethod.class, OnClass.class, OnInterface.class, WithTransaction.class})
    void securityDecidesOnARetryAsOnTheFirstCall(Class<? extends Orders> bean) {
        Orders orders = app.bean(bean);
        logIn("ROLE_CLERK");
        assertThat(orders.order(key)).isEqualTo("ordered");

        logIn("ROLE_GUEST");
        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> orders.order(key));
        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> orders.order(key + "another"));

        logIn("ROLE_CLERK");
        assertThat(orders.order(key)).isEqualTo("ordered before");
        assertThat(orders.order(key + "another")).isEqualTo("ordered");
    }

    @Test
    void securityWithinTheTransactionIsNamedAtStart(@TempDir Path early, CapturedOutput output) {
        CountingApp.start(early, new String[0], context -> {
                    CountingApp.addTo(context, dataSource);
                    context.register(LateSecurity.class, WithTransaction.class);
                })
                .close();

        assertThat(output.getOut().lines().filter(line -> line.contains("does not run before a replay")))
                .singleElement()
                .asString()
                .contains("WithTransaction, [order]:", "AuthorizationManagerBeforeMethodInterceptor");
    }

    private static void logIn(String role) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ada", "password", role));
    }

    /** A cached result is returned without a call, and so without an operation. */
    @Test
    void aCacheRespondsInTheMethodsStead() {
        UnaryOperator<String> cached = app.bean(Cached.class)::order;

        assertThat(List.of(cached.apply(key), cached.apply(key))).containsExactly("ordered", "ordered");
        Objects.requireNonNull(app.bean(CacheManager.class).getCache("orders")).clear();

        assertThat(cached.apply(key)).isEqualTo("ordered before");
    }

    interface Orders {
        String order(String key);
    }

    static class OnMethod implements Orders {

        @Override
        @PreAuthorize("hasRole('CLERK')")
        @IdempotentIncrement(scope = "on-method", key = "#key", caller = "''", onDuplicate = "before")
        public String order(String key) {
            return "ordered";
        }

        public String before(String key) {
            return "ordered before";
        }
    }

    @PreAuthorize("hasRole('CLERK')")
    static class OnClass implements Orders {

        @Override
        @IdempotentIncrement(scope = "on-class", key = "#key", caller = "''", onDuplicate = "before")
        public String order(String key) {
            return "ordered";
        }

        public String before(String key) {
            return "ordered before";
        }
    }

    interface SecuredOrders extends Orders {

        @Override
        @PreAuthorize("hasRole('CLERK')")
        @IdempotentIncrement(scope = "on-interface", key = "#key", caller = "''", onDuplicate = "before")
        String order(String key);
    }

    static class OnInterface implements SecuredOrders {

        @Override
        public String order(String key) {
            return "ordered";
        }

        public String before(String key) {
            return "ordered before";
        }
    }

    static class WithTransaction implements Orders {

        @Override
        @Transactional
        @PreAuthorize("hasRole('CLERK')")
        @IdempotentIncrement(scope = "with-transaction", key = "#key", caller = "''", onDuplicate = "before")
        public String order(String key) {
            return "ordered";
        }

        public String before(String key) {
            return "ordered before";
        }
    }

    static class Cached {

        @Cacheable("orders")
        @IdempotentIncrement(scope = "cached", key = "#key", caller = "''", onDuplicate = "before")
        public String order(String key) {
            return "ordered";
        }

        public String before(String key) {
            return "ordered before";
        }
    }

    /** Adds Spring's security behind all advice that there is. */
    static final class LateSecurity extends AbstractBeanFactoryAwareAdvisingPostProcessor {

        private static final long serialVersionUID = 1L;

        LateSecurity() {
            advisor = AuthorizationManagerBeforeMethodInterceptor.preAuthorize();
            setProxyTargetClass(true);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(proxyTargetClass = true)
    @EnableCaching(proxyTargetClass = true)
    @Import({OnMethod.class, OnClass.class, OnInterface.class, WithTransaction.class, Cached.class})
    static class App {

        @Bean
        static CacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }
    }
}
