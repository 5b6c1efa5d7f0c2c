package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;

import feign.DefaultRetryer;
import feign.Feign;
import feign.Param;
import feign.RequestLine;
import feign.Retryer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class IdempotentFeignInterceptorTest {

    interface Pages {

        @RequestLine("POST /pages/{page}/views")
        String view(@Param("page") String page);

        @feign.Headers("Idempotency-Key: mine")
        @RequestLine("POST /pages/{page}/views")
        String viewWithMyKey(@Param("page") String page);

        @RequestLine("GET /pages/{page}")
        String read(@Param("page") String page);
    }

    @RegisterExtension
    final FlakyServer server = new FlakyServer();

    private Pages pages(Retryer retryer) {
        return Feign.builder()
                .requestInterceptor(new IdempotentFeignInterceptor(ClientProperties.of()))
                .retryer(retryer)
                .target(Pages.class, server.url() + "/api");
    }

    @Test
    void feignsRetryerKeepsTheKey() {
        Pages pages = pages(new DefaultRetryer(1, 1, 5));
        server.thenAnswers(503, "Retry-After: 0").thenLosesTheResponse();

        assertThat(pages.view("home")).isEqualTo("done");

        // the JDK's HttpURLConnection may send a lost request once more by itself
        assertThat(server.triesOfEachOperation()).singleElement(INTEGER).isGreaterThanOrEqualTo(3);
    }

    @Test
    void theCallersOwnKeyIsKeptAndOtherMethodsAreLeftAlone() {
        Pages pages = pages(Retryer.NEVER_RETRY);

        pages.viewWithMyKey("home");
        pages.read("home");

        assertThat(server.keys()).containsExactly("mine", null);
    }

    @Test
    void aKeyThatLooksLikeATemplateIsSentAsItIs() throws Exception {
        IdempotencyKeys.withKey("{order:[}", () -> pages(Retryer.NEVER_RETRY).view("home"));

        assertThat(server.keys()).containsExactly("\"{order:[}\"");
    }
}
