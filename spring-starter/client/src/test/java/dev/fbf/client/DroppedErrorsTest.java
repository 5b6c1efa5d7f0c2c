package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import reactor.core.publisher.Hooks;

/** Reactor reports errors that come when their subscriber has gone: here, those of an exchange that was canceled between two tries. */
@Isolated
class DroppedErrorsTest {

    @RegisterExtension
    final FlakyServer server = new FlakyServer();

    @Test
    void aRetryLeavesNone() {
        List<Throwable> dropped = new CopyOnWriteArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            server.thenAnswers(503).thenLosesTheResponse().thenAnswers(409);

            Clients.web(server, Clients.quick(), Clients.overNetty(Clients.TIMEOUT))
                    .build()
                    .post()
                    .uri("/pages/home/views")
                    .bodyValue("hello")
                    .retrieve()
                    .toBodilessEntity()
                    .block();
        } finally {
            Hooks.resetOnErrorDropped();
        }

        assertThat(server.received()).hasSize(4);
        assertThat(dropped).isEmpty();
    }
}
