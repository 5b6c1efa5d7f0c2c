package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.RequestDigest;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** An application that decides itself what of a request is compared. */
@GuardedApp(beans = RequestDigestTest.Calls.class)
class RequestDigestTest extends HttpAppTest {

    @Test
    void aRetryIsAReplayIfWhatTheApplicationHasChosenIsEqual() throws Exception {
        assertThat(call("/rpc", "{\"id\":1,\"method\":\"add\",\"params\":{\"a\":1,\"b\":2}}"))
                .isEqualTo("200: add");
        assertThat(call("/rpc", "{\"params\":{\"b\":2,\"a\":1},\"method\":\"add\",\"id\":2}\n"))
                .isEqualTo("200 replayed: add");
        assertThat(call("/rpc", "{\"id\":1,\"method\":\"add\",\"params\":{\"a\":2,\"b\":2}}"))
                .startsWith("422");
    }

    @Test
    void whereItHasChosenNothingRequestsAreComparedAsWithoutIt() throws Exception {
        assertThat(call("/other", "{\"method\":\"add\",\"a\":1}")).isEqualTo("200: add");
        assertThat(call("/other", "{\"method\":\"add\",\"a\":1}")).isEqualTo("200 replayed: add");
        assertThat(call("/other", "{\"a\":1,\"method\":\"add\"}")).startsWith("422");
    }

    private String call(String path, String json) throws Exception {
        return answer(app.send("POST", path, key, "application/json", json.getBytes(UTF_8)));
    }

    @RestController
    static class Calls {

        @PostMapping({"/rpc", "/other"})
        @IdempotentIncrement(scope = "rpc")
        String call(@RequestBody JsonNode call) {
            return call.path("method").asString();
        }

        @Bean
        static RequestDigest calls() {
            JsonMapper sorted = JsonMapper.builder()
                    .enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
                    .build();
            return (request, body) -> {
                if (!request.getRequestURI().equals("/rpc")) {
                    return null;
                }
                ObjectNode call = (ObjectNode) sorted.readTree(body);
                call.remove("id");
                return sorted.writeValueAsBytes(call);
            };
        }
    }
}
