package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;

/** Clients that reset their connections, at an application whose handler of all exceptions writes an error to them. */
@Tag("nightly")
@ExtendWith(PostgresExtension.class)
class ResetConnectionsTest {

    @ParameterizedTest
    @CsvSource({"filter,tomcat", "ledger,tomcat", "filter,jetty", "ledger,jetty"})
    void replaysAreTheFirstResponseWhateverMomentTheConnectionsAreResetAt(
            String mode, String server, DataSource dataSource, @TempDir Path directory) throws Exception {
        Class<?> beans = server.equals("jetty") ? OnJetty.class : Payments.class;
        try (HttpApp app = start(dataSource, directory, beans, mode)) {
            Requests requests = app.bean(Requests.class);
            List<Integer> sizes = List.of(100, 3_000, 60_000, 900_000);
            List<Sent> sent = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                String key = UUID.randomUUID().toString();
                int size = sizes.get(i % sizes.size());
                String path = "/payments?size=" + size;
                sent.add(new Sent(key, size, path));
                try (Socket client = send(app, path, key)) {
                    if (i % 2 == 0) {
                        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(6_000_000));
                    } else {
                        client.getInputStream()
                                .readNBytes(ThreadLocalRandom.current().nextInt(400));
                    }
                    client.setSoLinger(true, 0);
                }
            }
            requests.awaitEnd();
            awaitResponses(app, dataSource, mode);

            int replays = 0;
            int different = 0;
            for (Sent request : sent) {
                HttpResponse<String> retry = app.post(request.path(), "Idempotency-Key", request.key());
                replays += retry.headers().firstValue("Idempotent-Replayed").isPresent() ? 1 : 0;
                different += retry.statusCode() == 201
                                && retry.body().equals(Payments.document(request.key(), request.size()))
                        ? 0
                        : 1;
            }
            System.out.printf("%s, %s: %d replays of 200, different: %d%n", mode, server, replays, different);
            assertThat(different).isZero();
            assertThat(replays).isGreaterThan(50);
        }
    }

    private static HttpApp start(DataSource dataSource, Path directory, Class<?> beans, String mode) {
        return HttpApp.start(
                dataSource,
                directory,
                beans,
                "fbf.mode=" + mode,
                "fbf.responses.max-body=2MB",
                HttpApp.SILENT_FAILURES);
    }

    private static Socket send(HttpApp app, String path, String key) throws IOException {
        Socket client = new Socket("localhost", app.port());
        client.getOutputStream()
                .write(RawHttp.request("POST", path, "", "Idempotency-Key: " + key)
                        .getBytes(ISO_8859_1));
        client.getOutputStream().flush();
        return client;
    }

    /** In ledger mode, until a later response than all of those is written. */
    private static void awaitResponses(HttpApp app, DataSource dataSource, String mode) throws Exception {
        String later = UUID.randomUUID().toString();
        app.post("/payments?size=1", "Idempotency-Key", later);
        if (mode.equals("ledger")) {
            JdbcClient jdbc = JdbcClient.create(dataSource);
            Awaitility.await()
                    .until(() -> jdbc.sql("SELECT EXISTS (SELECT FROM fbf_response WHERE operation = ?)")
                            .param(OperationId.of("payments", "", later).toUuid())
                            .query(Boolean.class)
                            .single());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Payments.class, Jetty.class})
    static class OnJetty {}

    /** The requests that are being served. */
    @Order(0)
    static class Requests implements Filter {

        final AtomicInteger entered = new AtomicInteger();

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            entered.incrementAndGet();
            try {
                chain.doFilter(request, response);
            } finally {
                entered.decrementAndGet();
            }
        }

        void awaitEnd() {
            Awaitility.await().until(() -> entered.get() == 0);
        }
    }

    @Controller
    @Import({NeighbouringApp.CatchAll.class, Requests.class})
    static class Payments {

        static String document(String key, int size) {
            return "{\"paymentId\":\"" + key + "\",\"note\":\"" + "x".repeat(size) + "\"}";
        }

        @PostMapping("/payments")
        @IdempotentIncrement(scope = "payments")
        ResponseEntity<Payment> pay(@RequestParam int size, @RequestHeader("Idempotency-Key") String key) {
            return ResponseEntity.status(201).body(new Payment(key, "x".repeat(size)));
        }
    }

    private record Sent(String key, int size, String path) {}

    record Payment(String paymentId, String note) {}
}
