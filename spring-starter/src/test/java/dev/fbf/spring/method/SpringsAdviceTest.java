package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.annotation.Transactional;

/** Spring's own advice around guarded methods, on methods, classes and interfaces. */
@GuardedApp(beans = SpringsAdviceTest.App.class)
class SpringsAdviceTest extends CountingAppTest {

    private final String key = CallerOfTheTest.current();

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @ParameterizedTest
    @ValueSource(classes = {OnMethod.class, OnInterface.class, WithTransaction.class})
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

    private static void logIn(String role) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ada", "password", role));
    }

    @Test
    void aRetryableMethodIsAppliedOnce() throws Exception {
        AtomicInteger calls = new AtomicInteger();

        String result = app.bean(Retried.class).count(key, counter, () -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("at first");
            }
        });

        assertThat(result).isEqualTo("counted");
        assertThat(calls).hasValue(2);
        assertThat(counted.value()).isEqualTo(1);
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

    static class Retried {

        @Retryable(maxRetries = 2, delay = 1)
        @Transactional
        @IdempotentIncrement(scope = "retried", key = "#key", caller = "''")
        public String count(String key, Counter counter, Counter.Action action) throws Exception {
            String result = counter.count("inner " + key);
            action.run();
            return result;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(proxyTargetClass = true)
    @EnableResilientMethods(proxyTargetClass = true)
    @Import({OnMethod.class, OnInterface.class, WithTransaction.class, Retried.class})
    static class App {}
}
