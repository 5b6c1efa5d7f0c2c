package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.event.EventListener;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.concurrent.DelegatingSecurityContextExecutor;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Controller;

/** An event that a user's thread has published first, and a recovery after a crash again: one has a login, the other none. */
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

    private void deliverTwice(Object event) throws Exception {
        withLogin.execute(() -> app.publish(event));
        thread.submit(() -> app.publish(event)).get();
    }

    record Placed(String number, Counter counter) {}

    record Paid(String number, Counter counter) {}

    static class Orders {

        @EventListener
        @IdempotentIncrement(scope = "placed", key = "{'order', #event.number}")
        public void on(Placed event) {
            increment(event.counter);
        }
    }

    @Controller
    static class OrdersController {

        @EventListener
        @IdempotentIncrement(scope = "paid", key = "{'order', #event.number}")
        public void on(Paid event) {
            increment(event.counter);
        }
    }

    private static void increment(Counter counter) {
        counter.countSilently(UUID.randomUUID().toString());
    }
}
