package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import jakarta.servlet.http.HttpServletRequest;
import java.net.http.HttpResponse;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.server.ResponseStatusException;

/** An application's own advice, such as tenant checks and rate limits, decides before a replay. */
@Timeout(30)
@GuardedApp(beans = OwnAdviceTest.App.class)
class OwnAdviceTest extends HttpAppTest {

    private static final String REFUSED_BY = "X-Refused-By";
    private static final AtomicInteger CALLS = new AtomicInteger();

    @BeforeEach
    void forgetCalls() {
        CALLS.set(0);
    }

    @ParameterizedTest
    @CsvSource({"/controller, unordered", "/controller, order 1000", "/service, unordered", "/transactional, order 1000"
    })
    void decidesOnARetryAsOnTheFirstRequest(String path, String advice) throws Exception {
        assertThat(post(path, REFUSED_BY, advice).statusCode()).isEqualTo(403);
        HttpResponse<String> first = post(path);
        assertThat(first.statusCode()).isEqualTo(200);

        assertThat(post(path, REFUSED_BY, advice))
                .returns(403, HttpResponse::statusCode)
                .returns(false, refusal -> refusal.body().contains(first.body()));

        assertThat(post(path)).returns(200, HttpResponse::statusCode).returns(first.body(), HttpResponse::body);
        assertThat(CALLS).hasValue(1);
    }

    @Test
    void adviceWithinTheTransactionIsNamedAtStart() {
        assertThat(startLog.lines().filter(line -> line.contains("does not run before a replay")))
                .singleElement()
                .asString()
                .contains("OwnAdviceTest$Transactions:", "advice within")
                .doesNotContain("order 1000", "unordered");
    }

    /** A replay runs none of it; a first call that it refuses applies nothing. */
    @Test
    void adviceWithinTheTransactionDecidesOnTheFirstRequestAlone() throws Exception {
        assertThat(post("/transactional", REFUSED_BY, "within").statusCode()).isEqualTo(403);
        HttpResponse<String> first = post("/transactional");

        assertThat(post("/transactional", REFUSED_BY, "within"))
                .returns(200, HttpResponse::statusCode)
                .returns(first.body(), HttpResponse::body);
        assertThat(CALLS).hasValue(1);
    }

    private static HttpServletRequest request() {
        return ((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes()).getRequest();
    }

    /** Refuses callers that a header names, as those without a right. */
    private record Refusing(String name) implements MethodInterceptor {

        @Override
        public @Nullable Object invoke(MethodInvocation call) throws Throwable {
            if (name.equals(request().getHeader(REFUSED_BY))) {
                throw new ResponseStatusException(HttpStatus.FORBIDDEN);
            }
            return call.proceed();
        }

        @Override
        public String toString() {
            return "advice " + name;
        }
    }

    /** Adds advice behind all advice that there is, as Spring does for validation. */
    private static final class WithinPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

        private static final long serialVersionUID = 1L;

        WithinPostProcessor() {
            advisor = new DefaultPointcutAdvisor(
                    new AnnotationMatchingPointcut(Validated.class, IdempotentIncrement.class), new Refusing("within"));
        }
    }

    private static String newOrder() {
        return "order " + CALLS.incrementAndGet() + " of " + UUID.randomUUID();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Callers.class, WithoutTransaction.class, Transactions.class})
    static class App {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor unordered() {
            return advisor(Ordered.LOWEST_PRECEDENCE, new Refusing("unordered"));
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor ordered() {
            return advisor(1000, new Refusing("order 1000"));
        }

        private static DefaultPointcutAdvisor advisor(int order, MethodInterceptor advice) {
            DefaultPointcutAdvisor advisor =
                    new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, IdempotentIncrement.class), advice);
            advisor.setOrder(order);
            return advisor;
        }

        @Bean
        static BeanPostProcessor within() {
            return new WithinPostProcessor();
        }
    }

    @RestController
    static class Plain {

        @PostMapping("/controller")
        @IdempotentIncrement(scope = "controller", caller = "''")
        ResponseEntity<String> order() {
            return ResponseEntity.ok(newOrder());
        }
    }

    @RestController
    record Callers(WithoutTransaction service, Transactions transactions) {

        @PostMapping("/service")
        String service(@RequestHeader("Idempotency-Key") String key) {
            return service.order(key);
        }

        @PostMapping("/transactional")
        String transactional(@RequestHeader("Idempotency-Key") String key) {
            return transactions.order(key);
        }
    }

    @Service
    static class WithoutTransaction {

        private String last = "";

        @IdempotentIncrement(scope = "service", key = "#key", caller = "''", onDuplicate = "before")
        public String order(String key) {
            last = newOrder();
            return last;
        }

        public String before(String key) {
            return last;
        }
    }

    @Service
    @Validated
    static class Transactions {

        private String last = "";

        @Transactional
        @IdempotentIncrement(scope = "transactional", key = "#key", caller = "''", onDuplicate = "before")
        public String order(String key) {
            last = newOrder();
            return last;
        }

        public String before(String key) {
            return last;
        }
    }
}
