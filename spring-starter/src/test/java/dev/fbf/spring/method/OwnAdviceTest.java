package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationRefusedException;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
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
import org.springframework.aop.ProxyMethodInvocation;
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
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

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

    /** Beside filters and interceptors, which run before any method. */
    @ParameterizedTest
    @CsvSource({
        "/controller, unordered",
        "/controller, order 1000",
        "/controller, first",
        "/controller, interceptor",
        "/controller, filter",
        "/beside-transactions, unordered",
        "/in-transaction, order 1000",
        "/service, unordered",
        "/service, order 1000",
        "/service, first",
        "/transactional, order 1000",
        "/transactional, first",
        "/retryable, unordered",
        "/retryable, first"
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

    /** A caught replay is not thrown again: the result of the advice is the response, and nothing is applied. */
    @Test
    void adviceThatCatchesAReplayRespondsInItsPlace() throws Exception {
        HttpResponse<String> first = post("/controller");

        assertThat(post("/controller", "X-Catches", "returns").statusCode()).isEqualTo(500);
        assertThat(post("/controller?of=another", "X-Catches", "returns").statusCode())
                .isEqualTo(500);

        assertThat(post("/controller").body()).isEqualTo(first.body());
        assertThat(CALLS).hasValue(1);
    }

    /** Exception handlers see the cause. */
    @Test
    void adviceThatWrapsAReplayOrARefusalChangesNothing() throws Exception {
        HttpResponse<String> first = post("/controller");

        assertThat(post("/controller", "X-Catches", "throws").body()).isEqualTo(first.body());
        assertThat(post("/controller?of=another", "X-Catches", "throws").statusCode())
                .isEqualTo(422);
    }

    @Test
    void adviceThatCallsAgainAfterARefusalGetsTheResultOfTheSecondCall() throws Exception {
        assertThat(post("/service", "X-Calls-Again", "yes").statusCode()).isEqualTo(200);
        assertThat(CALLS).hasValue(1);
    }

    @Test
    void adviceWithinTheTransactionIsNamedAtStart() {
        assertThat(startLog.lines().filter(line -> line.contains("does not run before a replay")))
                .singleElement()
                .asString()
                .contains("OwnAdviceTest$Transactions, [order]:", "advice within")
                .doesNotContain("order 1000", "unordered", "Catching");
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

    private static final class Catching implements MethodInterceptor {

        @Override
        public @Nullable Object invoke(MethodInvocation call) throws Throwable {
            try {
                return call.proceed();
            } catch (Exception e) {
                String then = request().getHeader("X-Catches");
                if (then == null) {
                    throw e;
                }
                if (then.equals("throws")) {
                    throw new IllegalStateException("an error of the application", e);
                }
                return ResponseEntity.internalServerError().body("an error of the application");
            }
        }
    }

    /** Calls with a key that is refused, and then with the right one. */
    private static final class CallingAgain implements MethodInterceptor {

        @Override
        public @Nullable Object invoke(MethodInvocation call) throws Throwable {
            if (request().getHeader("X-Calls-Again") == null) {
                return call.proceed();
            }
            assertThatExceptionOfType(OperationRefusedException.class)
                    .isThrownBy(() ->
                            ((ProxyMethodInvocation) call).invocableClone(" ").proceed());
            return call.proceed();
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
    @EnableResilientMethods(proxyTargetClass = true)
    @Import({
        Plain.class,
        BesideTransactions.class,
        Retried.class,
        Callers.class,
        WithoutTransaction.class,
        Transactions.class
    })
    static class App implements WebMvcConfigurer {

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

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor first() {
            return advisor(Ordered.HIGHEST_PRECEDENCE, new Refusing("first"));
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor catching() {
            return advisor(0, new Catching());
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor callingAgain() {
            return advisor(1, new CallingAgain());
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

        @Bean
        Filter refusing() {
            return (request, response, chain) -> {
                if ("filter".equals(((HttpServletRequest) request).getHeader(REFUSED_BY))) {
                    ((HttpServletResponse) response).setStatus(403);
                } else {
                    chain.doFilter(request, response);
                }
            };
        }

        @Override
        public void addInterceptors(InterceptorRegistry registry) {
            registry.addInterceptor(new HandlerInterceptor() {

                @Override
                public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
                    boolean refused = "interceptor".equals(request.getHeader(REFUSED_BY));
                    if (refused) {
                        response.setStatus(403);
                    }
                    return !refused;
                }
            });
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

    /** A method without a transaction, in a class where another has one: each has its own place for the claim. */
    @RestController
    static class BesideTransactions {

        @PostMapping("/beside-transactions")
        @IdempotentIncrement(scope = "beside-transactions", caller = "''")
        public String order() {
            return newOrder();
        }

        @Transactional
        @PostMapping("/in-transaction")
        @IdempotentIncrement(scope = "in-transaction", caller = "''")
        public String orderInTransaction() {
            return newOrder();
        }
    }

    @RestController
    static class Retried {

        /** Spring's retries are outside: they repeat a replay unless they exclude it. */
        @Retryable(maxRetries = 1, delay = 1)
        @PostMapping("/retryable")
        @IdempotentIncrement(scope = "retryable", caller = "''")
        public ResponseEntity<String> order() {
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
