package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.method.GuardedMethods;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.annotation.AliasFor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Over real HTTP, with a real PostgreSQL behind. */
@GuardedApp(
        beans = {HttpContractTest.Service.class, HttpContractTest.Unguarded.class},
        properties = {"fbf.responses.enabled=false", "seats.wait=250ms"})
class HttpContractTest extends HttpAppTest {

    private static final String FORM = "application/x-www-form-urlencoded";

    /** The handler has done its own work again: its response is no replay. */
    @Test
    void aReplayWithinAnUnguardedHandlerIsNotSaidOfItsResponse() throws Exception {
        assertThat(post("/unguarded/a").body()).isEqualTo("handled: counted a");

        assertThat(answer(post("/unguarded/a"))).isEqualTo("200: handled: counted before a");
    }

    @Test
    void aReplayOfAServiceWithoutOnDuplicateIsAnswered204AndSaysSo() throws Exception {
        assertThat(post("/by-service").statusCode()).isEqualTo(200);

        assertThat(status(post("/by-service"))).isEqualTo("204 replayed");
    }

    /** A method that marks its transaction rollback-only and returns: its operation is new still, whatever the response. */
    @Test
    void aFormWithErrorsCanBeCorrected() throws Exception {
        for (String seats : List.of("many", "many", "2", "2")) {
            app.send("POST", "/seats", "none", FORM, ("seats=" + seats + "&key=" + key).getBytes(UTF_8));
            assertThat(counted.value()).isEqualTo(seats.equals("2") ? 1 : 0);
        }
        assertThat(answer(app.send("POST", "/seats", "none", FORM, ("seats=2&key=" + key).getBytes(UTF_8))))
                .isEqualTo("204 replayed: ");
    }

    /** The annotation sets some attributes of the guard itself, and passes others on with {@code @AliasFor}. */
    @Test
    void anAnnotationOfTheApplicationCanCarryTheGuard() throws Exception {
        assertThat(app.post("/seats", "Content-Type", FORM).statusCode()).isEqualTo(400);

        assertThat(app.bean(GuardedMethods.class).annotated())
                .filteredOn(method -> method.scope().equals("composed-seats"))
                .singleElement()
                .satisfies(
                        method -> assertThat(method.settings().waitInProgress()).isEqualTo(Duration.ofMillis(250)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x%00", "xxxxxxxxxxxxxxxxxxxx"})
    void anImpossibleNameOfACounterGets400AndLeavesTheOperationNew(String name) throws Exception {
        String path = "/named?name=" + (name.startsWith("xx") ? name.repeat(20) : name);
        HttpResponse<String> response = app.post(path, "Idempotency-Key", "named-" + name);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(HttpApp.json(response).get("detail").asString()).startsWith("The name of a counter must ");
        assertThat(app.post("/named?name=right", "Idempotency-Key", "named-" + name)
                        .body())
                .isNotEmpty();
    }

    record SeatForm(@Nullable Integer seats, @Nullable String key) {}

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @RequestMapping(method = RequestMethod.POST)
    @Transactional(isolation = Isolation.REPEATABLE_READ)
    @IdempotentIncrement(key = "#form.key", waitInProgress = "${seats.wait}")
    @interface BookedOnce {

        @AliasFor(annotation = RequestMapping.class, attribute = "path")
        String[] path();

        @AliasFor(annotation = IdempotentIncrement.class, attribute = "scope")
        String scope();
    }

    static class Service {

        @IdempotentIncrement(scope = "service", onDuplicate = "before")
        String count(String name) {
            return "counted " + name;
        }

        String before(String name) {
            return "counted before " + name;
        }

        @IdempotentIncrement(scope = "silent-service")
        String countSilently() {
            return "counted";
        }
    }

    @RestController
    static class Unguarded {

        private final Service service;
        private final SqlCounters named;
        private final JdbcClient jdbc;

        Unguarded(Service service, SqlCounters named, DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
            this.service = service;
            this.named = named;
        }

        @BookedOnce(path = "/seats", scope = "composed-seats")
        public String book(@ModelAttribute SeatForm form, BindingResult errors) {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            if (errors.hasErrors()) {
                TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
                return "again";
            }
            return "booked " + form.seats;
        }

        @PostMapping("/unguarded/{name}")
        String handle(@PathVariable String name) {
            return "handled: " + service.count(name);
        }

        @PostMapping("/named")
        @IdempotentIncrement(scope = "named")
        String handleNamed(@RequestParam String name) {
            return "" + named.increment(name);
        }

        @PostMapping("/by-service")
        String handleByService() {
            return service.countSilently();
        }
    }
}
