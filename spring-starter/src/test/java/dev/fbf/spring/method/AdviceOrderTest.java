package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The place of the guard among an application's own aspects, where it is set. */
@GuardedApp(modes = Mode.FILTER, beans = AdviceOrderTest.App.class, properties = "fbf.advice-order=10")
class AdviceOrderTest extends HttpAppTest {

    private static final Map<String, Integer> CALLS = new ConcurrentHashMap<>();

    @ParameterizedTest
    @ValueSource(strings = {"/plain", "/transactional"})
    void adviceWithAGreaterOrderRunsOnceForAnOperation(String path) throws Exception {
        CALLS.clear();

        String first = post(path).body();
        String retry = post(path).body();

        assertThat(first).isEqualTo("called").isEqualTo(retry);
        assertThat(CALLS).containsEntry("rate limit", 2).containsEntry("audit", 1);
    }

    @Test
    void adviceThatWasPutThereIsNotWarnedOf() {
        assertThat(startLog).doesNotContain("this advice does not run before a replay");
    }

    @Test
    void aGuardWithinTheTransactionStopsTheStart(@TempDir Path early) {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> HttpApp.start(
                        dataSource,
                        early,
                        List.of(App.class, EarlyTransactions.class),
                        "fbf.advice-order=10",
                        HttpApp.SILENT_FAILURES))
                .withRootCauseInstanceOf(InvalidConfigurationPropertyValueException.class)
                .havingRootCause()
                .withMessageContaining("within the transaction of public java.lang.String " + Pages.class.getName())
                .withMessageContaining("whose advice has the order 5. Set at most this order");
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Pages.class)
    static class App {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor rateLimit() {
            return advisor(0, "rate limit");
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor audit() {
            return advisor(100, "audit");
        }

        private static DefaultPointcutAdvisor advisor(int order, String name) {
            MethodInterceptor counting = call -> {
                CALLS.merge(name, 1, Integer::sum);
                return call.proceed();
            };
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    new AnnotationMatchingPointcut(null, IdempotentIncrement.class), counting);
            advisor.setOrder(order);
            return advisor;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true, order = 5)
    static class EarlyTransactions {}

    @RestController
    static class Pages {

        @PostMapping("/plain")
        @IdempotentIncrement(scope = "plain")
        public String call() {
            return "called";
        }

        @Transactional
        @PostMapping("/transactional")
        @IdempotentIncrement(scope = "transactional")
        public String callInTransaction() {
            return "called";
        }
    }
}
