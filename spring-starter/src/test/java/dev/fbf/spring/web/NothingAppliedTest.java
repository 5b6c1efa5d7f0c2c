package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import java.net.http.HttpResponse;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** A method that marks its transaction rollback-only and returns: its operation is new still, whatever the response. */
@GuardedApp(beans = NothingAppliedTest.Seats.class)
class NothingAppliedTest extends HttpAppTest {

    @Test
    void lettingTheCorrectedFormBeBooked() throws Exception {
        assertThat(form("seats=many&key=" + key)).isEqualTo("200: seats: typeMismatch");
        assertThat(form("seats=many&key=" + key)).isEqualTo("200: seats: typeMismatch");
        assertThat(counted.value()).isZero();

        assertThat(form("seats=2&key=" + key)).isEqualTo("200: booked 2");
        assertThat(form("seats=2&key=" + key)).isEqualTo("200 replayed: booked 2");
        assertThat(counted.value()).isEqualTo(1);
    }

    /** Where the second request, with a response that is not kept, gets through, the response to the first one goes. */
    @Test
    void lettingAnotherRequestUseTheKey() throws Exception {
        assertThat(send("/orders", "0").body()).isEqualTo("nothing ordered");
        assertThat(send("/orders", "5000").body()).hasSize(5_000);

        assertThat(send("/orders", "5000").statusCode()).isEqualTo(204);
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void withoutAKeyAsWell() throws Exception {
        assertThat(app.post("/keyless").statusCode()).isEqualTo(200);

        assertThat(counted.value()).isZero();
    }

    private static String form(String form) throws Exception {
        return answer(app.send("POST", "/seats", "none", "application/x-www-form-urlencoded", form.getBytes(UTF_8)));
    }

    private HttpResponse<String> send(String path, String body) throws Exception {
        return app.send("POST", path, key, "text/plain", body.getBytes(UTF_8));
    }

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
