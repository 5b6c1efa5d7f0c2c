package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

/** An application's own annotation that carries fbf's, its mapping and its transaction. */
@GuardedApp(beans = ComposedAnnotationTest.Payments.class, properties = "payments.wait=250ms")
class ComposedAnnotationTest extends HttpAppTest {

    @Test
    void guardsTheMethod() throws Exception {
        String first = post("/payments").body();
        String retry = post("/payments").body();

        assertThat(retry).isEqualTo(first);
        assertThat(app.post("/payments").statusCode()).isEqualTo(400);
    }

    @Test
    void hasTheAttributesThatItSetsAndThoseThatItShows() throws NoSuchMethodException {
        Method pay = Payments.class.getDeclaredMethod("pay");
        GuardedMethod method =
                Objects.requireNonNull(app.bean(GuardedMethods.class).find(pay, Payments.class));

        assertThat(method.scope()).isEqualTo("composed-payments");
        assertThat(method.settings().waitInProgress()).isEqualTo(Duration.ofMillis(250));
        assertThat(method.settings().waitInProgress()).isPositive();
    }

    /** Each one is a question that every user has to answer: what Spring's own annotations can say is said there. */
    @Test
    void thereAreFewAttributes() {
        assertThat(Stream.of(IdempotentIncrement.class.getDeclaredMethods()).map(Method::getName))
                .containsExactlyInAnyOrder(
                        "scope",
                        "key",
                        "caller",
                        "keyRequired",
                        "waitInProgress",
                        "retryWindow",
                        "onDuplicate",
                        "transactionManager",
                        "sqlOnly")
                .hasSizeLessThanOrEqualTo(9);
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @RequestMapping(method = RequestMethod.POST)
    @Transactional(isolation = Isolation.REPEATABLE_READ)
    @IdempotentIncrement(waitInProgress = "${payments.wait}")
    @interface PaidOnce {

        @AliasFor(annotation = RequestMapping.class, attribute = "path")
        String[] path();

        @AliasFor(annotation = IdempotentIncrement.class, attribute = "scope")
        String scope();
    }

    @RestController
    static class Payments {

        private int paid;

        @PaidOnce(path = "/payments", scope = "composed-payments")
        public String pay() {
            return "payment " + ++paid;
        }
    }
}
