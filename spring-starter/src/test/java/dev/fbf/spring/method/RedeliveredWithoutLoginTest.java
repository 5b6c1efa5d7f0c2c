package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.transaction.ConstantsOfTheTest;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.concurrent.DelegatingSecurityContextExecutor;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;

/** An event that a user's thread has published first, and a recovery after a crash again: one has a login, the other none. */
@ExtendWith(OutputCaptureExtension.class)
@GuardedApp(beans = {RedeliveredWithoutLoginTest.Orders.class, RedeliveredWithoutLoginTest.OrdersController.class})
class RedeliveredWithoutLoginTest extends CountingAppTest {

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Executor withLogin = new DelegatingSecurityContextExecutor(thread);

    @BeforeEach
    void logIn() {
        SecurityContextHolder.getContext()
                .setAuthentication(new TestingAuthenticationToken("ada", "password", "ROLE_USER"));
    }

    @AfterEach
    void end() {
        SecurityContextHolder.clearContext();
        thread.shutdownNow();
    }

    @Test
    void isOneOperationWhereTheKeyIsTheApplicationsOwn() throws Exception {
        deliverTwice(new Placed(CallerOfTheTest.current(), counter));

        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void isOneOperationInAListenerOfAControllersClass() throws Exception {
        deliverTwice(new Paid(CallerOfTheTest.current(), counter));

        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void areTwoOperationsWhereTheMethodNamesTheLogin() throws Exception {
        deliverTwice(new Shipped(CallerOfTheTest.current(), counter));

        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void theStartSaysWhoseTheOperationsAre(CapturedOutput output, @TempDir Path directory) {
        startWith(directory, Orders.class, OrdersController.class);

        assertThat(output)
                .containsPattern("The login is not part of the operation's name in \\[.*Orders\\.on\\(Placed\\)")
                .containsPattern(
                        "The login is part of the operation's name in \\[.*OrdersController\\.message\\(String\\).*\\], because")
                .doesNotContain("OrdersController.order(")
                .doesNotContain("Orders.on(Shipped)");
    }

    @Test
    void theStartHasNoLineThatNamesNoMethod(CapturedOutput output, @TempDir Path directory) {
        startWith(directory);

        assertThat(output).contains("The login is part of").doesNotContain("The login is not part of");
    }

    private void startWith(Path directory, Class<?>... beans) {
        LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
        logging.setLogLevel("dev.fbf.spring.method.StartNotices", LogLevel.INFO);
        try {
            CountingApp.start(directory, new String[] {ConstantsOfTheTest.UNREGISTERED}, context -> {
                        CountingApp.addTo(context, dataSource);
                        Stream.of(beans).forEach(context::registerBean);
                    })
                    .close();
        } finally {
            logging.setLogLevel("dev.fbf.spring.method.StartNotices", null);
        }
    }

    private void deliverTwice(Object event) throws Exception {
        withLogin.execute(() -> app.publish(event));
        thread.submit(() -> app.publish(event)).get();
    }

    record Placed(String number, Counter counter) {}

    record Paid(String number, Counter counter) {}

    record Shipped(String number, Counter counter) {}

    static class Orders {

        @EventListener
        @IdempotentIncrement(scope = "placed", key = "'order-' + #event.number")
        public void on(Placed event) {
            increment(event.counter);
        }

        @EventListener
        @IdempotentIncrement(
                scope = "shipped",
                key = "'order-' + #event.number",
                caller = "@fbfAuthenticatedCaller.name()")
        public void on(Shipped event) {
            increment(event.counter);
        }
    }

    @Controller
    static class OrdersController {

        @EventListener
        @IdempotentIncrement(scope = "paid", key = "'order-' + #event.number")
        public void on(Paid event) {
            increment(event.counter);
        }

        @PostMapping
        @IdempotentIncrement(scope = "order", key = "#number")
        public void order(String number) {}

        @MessageMapping
        @IdempotentIncrement(scope = "message", key = "#number")
        public void message(String number) {}
    }

    private static void increment(Counter counter) {
        counter.countSilently(UUID.randomUUID().toString());
    }
}
