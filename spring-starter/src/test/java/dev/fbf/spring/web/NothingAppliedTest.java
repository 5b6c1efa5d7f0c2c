package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** A method that marks its transaction rollback-only and returns: its operation is new still, whatever the response. */
@ExtendWith(PostgresExtension.class)
class NothingAppliedTest {

    private static final Map<Mode, HttpApp> apps = new EnumMap<>(Mode.class);

    private final String key = UUID.randomUUID().toString();

    private CountedTable counted;

    @BeforeAll
    static void start(DataSource dataSource, @TempDir Path directory) {
        for (Mode mode : Mode.values()) {
            String name = mode.name().toLowerCase(Locale.ROOT);
            apps.put(mode, HttpApp.start(dataSource, directory.resolve(name), Beans.class, "fbf.mode=" + name));
        }
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
    }

    @AfterAll
    static void stop() {
        apps.values().forEach(HttpApp::close);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void lettingTheCorrectedFormBeBooked(Mode mode) throws Exception {
        HttpResponse<String> rejected = form(mode, "seats=many&key=" + key);
        HttpResponse<String> again = form(mode, "seats=many&key=" + key);
        assertThat(rejected.statusCode()).isEqualTo(200);
        assertThat(rejected.body()).isEqualTo("seats: typeMismatch");
        assertThat(again.body()).isEqualTo("seats: typeMismatch");
        assertThat(again.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(counted.value()).isZero();

        HttpResponse<String> corrected = form(mode, "seats=2&key=" + key);
        HttpResponse<String> retry = form(mode, "seats=2&key=" + key);
        assertThat(corrected.body()).isEqualTo("booked 2");
        assertThat(corrected.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(retry.body()).isEqualTo("booked 2");
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(counted.value()).isEqualTo(1);
    }

    /** Where the second request, with a response that is not kept, gets through, the response to the first one goes. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void lettingAnotherRequestUseTheKey(Mode mode) throws Exception {
        assertThat(send(mode, "/orders", "0").body()).isEqualTo("nothing ordered");
        assertThat(send(mode, "/orders", "5000").body()).hasSize(5_000);

        assertThat(send(mode, "/orders", "5000").statusCode()).isEqualTo(204);
        assertThat(counted.value()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void withoutAKeyAsWell(Mode mode) throws Exception {
        assertThat(app(mode).post("/keyless").statusCode()).isEqualTo(200);

        assertThat(counted.value()).isZero();
    }

    private static HttpApp app(Mode mode) {
        return Objects.requireNonNull(apps.get(mode));
    }

    private static HttpResponse<String> form(Mode mode, String form) throws Exception {
        return app(mode).send("POST", "/seats", "none", "application/x-www-form-urlencoded", form.getBytes(UTF_8));
    }

    private HttpResponse<String> send(Mode mode, String path, String body) throws Exception {
        return app(mode).send("POST", path, key, "text/plain", body.getBytes(UTF_8));
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Seats.class)
    static class Beans {}

    record SeatForm(Integer seats, String key) {}

    @RestController
    static class Seats {

        private final JdbcClient jdbc;

        Seats(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @PostMapping("/seats")
        @IdempotentIncrement(scope = "seats", key = "#form.key")
        String book(@ModelAttribute SeatForm form, BindingResult errors) {
            count();
            if (errors.hasErrors()) {
                TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
                return "seats: " + errors.getFieldErrors().get(0).getCode();
            }
            return "booked " + form.seats;
        }

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "orders")
        String order(@RequestBody String length) {
            count();
            if (length.equals("0")) {
                TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
                return "nothing ordered";
            }
            return "x".repeat(Integer.parseInt(length));
        }

        @PostMapping("/keyless")
        @IdempotentIncrement(scope = "keyless", keyRequired = false)
        void passKeyless() {
            count();
            TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
        }

        private void count() {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
        }
    }
}
