package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** What clients can read about a running application. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class PolicyTest {

    @TempDir
    private static Path directory;

    private static HttpApp plain;
    private static HttpApp other;

    @BeforeAll
    static void start(DataSource dataSource) {
        plain = HttpApp.start(
                dataSource,
                directory.resolve("plain"),
                Counters.class,
                "fbf.policy.enabled=true",
                "fbf.fingerprint.enabled=false",
                "fbf.scopes.orders.retry-window=1h",
                "fbf.scopes.orders.key.require-time=true",
                "fbf.scopes.orders.key.max-skew=5s");
        other = HttpApp.start(
                dataSource,
                directory.resolve("other"),
                Counters.class,
                "fbf.policy.enabled=true",
                "fbf.key.header=X-Operation",
                "server.forward-headers-strategy=framework",
                "fbf.key.require-time=true",
                "fbf.retry-window=2h");
    }

    @AfterAll
    static void stop() {
        other.close();
        plain.close();
    }

    @ParameterizedTest
    @CsvSource({"/shop, /shop", "/a b, /a%20b", "/<shop>, /%3Cshop%3E"})
    void isLinkedBehindAProxysPrefixEvenIfThatIsNotAPath(String prefix, String path) throws Exception {
        HttpResponse<String> response = other.post("/pages/a/views", "X-Forwarded-Prefix", prefix);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(HttpApp.json(response).path("policy").asString()).isEqualTo(path + "/idempotency-policy");
        assertThat(HttpApp.json(response).path("instance").asString()).isEqualTo(path + "/pages/a/views");
    }

    @Test
    void programsReadItAsJson() throws Exception {
        HttpResponse<String> response = plain.get("/idempotency-policy", MediaType.APPLICATION_JSON_VALUE);
        JsonNode policy = HttpApp.json(response);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(policy.path("header").asString()).isEqualTo("Idempotency-Key");
        assertThat(policy.path("retryWindow").asString()).isEqualTo("PT10M");
        assertThat(policy.path("key").path("maxLength").asInt()).isEqualTo(255);
        assertThat(policy.path("key").path("format").asString()).contains("or the bare characters");
        assertThat(policy.path("responses")
                        .valueStream()
                        .map(entry -> entry.path("status").asInt()))
                .contains(400, 409, 412, 503)
                .doesNotContain(422);
    }

    @Test
    void whereRequestsAreComparedItTellsWhatThoseAreAnsweredThatDiffer() throws Exception {
        JsonNode policy = HttpApp.json(other.get("/idempotency-policy", MediaType.APPLICATION_JSON_VALUE));

        assertThat(policy.path("responses")
                        .valueStream()
                        .map(entry -> entry.path("status").asInt()))
                .contains(422);
        assertThat(policy.path("resources")
                        .valueStream()
                        .map(entry -> entry.path("scope").asString() + " "
                                + entry.path("compared").asBoolean()))
                .containsExactly("anyhow true", "orders false", "views true", " true");
    }

    @Test
    void peopleReadItAsAPage() throws Exception {
        HttpResponse<String> response = plain.get("/idempotency-policy", "text/html,application/xhtml+xml,*/*;q=0.8");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
        assertThat(response.body())
                .contains(
                        "<code>Idempotency-Key</code>",
                        "PT10M",
                        "tag:fbf.dev,2026:problem:in-progress",
                        "/pages/{page}/views");
    }

    @Test
    void itSaysWhatIsConfigured() throws Exception {
        JsonNode policy = HttpApp.json(other.get("/idempotency-policy", MediaType.APPLICATION_JSON_VALUE));

        assertThat(policy.path("header").asString()).isEqualTo("X-Operation");
        assertThat(policy.path("retryWindow").asString()).isEqualTo("PT2H");
        assertThat(policy.path("key").path("time").asString()).contains("must be a UUID of version 7");
    }

    @Test
    void itNamesWhatIsGuardedAndNothingElse() throws Exception {
        JsonNode policy = HttpApp.json(plain.get("/idempotency-policy", MediaType.APPLICATION_JSON_VALUE));

        assertThat(policy.path("resources").valueStream().map(JsonNode::toString))
                .containsExactly(
                        resource("any", "/anyhow", "anyhow", "in the header; without it, each request counts"),
                        resource("POST", "/orders/{id}", "orders", "named by the request itself"),
                        resource("POST", "/pages/{page}/views", "views", "required in the header"),
                        resource("POST", "/votes", "", "in the header; without it, each request counts"));
    }

    @Test
    void thePageTellsWhatIsSetForAResource() throws Exception {
        String page =
                plain.get("/idempotency-policy", MediaType.TEXT_HTML_VALUE).body();

        assertThat(page)
                .contains(row(
                        "POST",
                        "/orders/{id}",
                        "named by the request itself",
                        "not compared",
                        "the caller, as the application distinguishes them",
                        "must be there",
                        "PT1H",
                        "PT5S",
                        "orders"))
                .contains(row(
                        "POST",
                        "/pages/{page}/views",
                        "required in the header",
                        "not compared",
                        "the authenticated user",
                        "should be there",
                        "PT10M",
                        "PT1M",
                        "views"));
    }

    @Test
    void whatItSaysIsEscapedOnThePage() {
        Policy policy = new Policy(
                "<b>",
                new Policy.Key("&", "<example>", 1, 2, "", Duration.ZERO),
                Duration.ZERO,
                "",
                "",
                List.of(),
                List.of(new Policy.Resource(
                        "POST", "/<script>", "s", "k", false, "o", false, Duration.ZERO, Duration.ZERO)));

        assertThat(new PolicyPage(policy).html())
                .contains("&lt;b&gt;", "&lt;example&gt;", "/&lt;script&gt;")
                .doesNotContain("<script>", "<example>");
    }

    private static String resource(String method, String path, String scope, String key) {
        String differing = scope.equals("orders")
                ? "\"timeRequired\":true,\"retryWindow\":\"PT1H\",\"maxSkew\":\"PT5S\""
                : "\"timeRequired\":false,\"retryWindow\":\"PT10M\",\"maxSkew\":\"PT1M\"";
        String owner =
                scope.equals("orders") ? "the caller, as the application distinguishes them" : "the authenticated user";
        return "{\"method\":\"%s\",\"path\":\"%s\",\"scope\":\"%s\",\"key\":\"%s\",\"compared\":false,\"owner\":\"%s\",%s}"
                .formatted(method, path, scope, key, owner, differing);
    }

    private static String row(String... cells) {
        return "<tr><td>" + String.join("</td><td>", cells) + "</td></tr>";
    }

    @RestController
    static class Counters {

        @PostMapping("/pages/{page}/views")
        @IdempotentIncrement(scope = "views")
        void view(@PathVariable String page) {}

        @PostMapping("/orders/{id}")
        @IdempotentIncrement(scope = "orders", key = "#id", caller = "'a tenant'")
        void order(@PathVariable String id) {}

        @RequestMapping("/anyhow")
        @IdempotentIncrement(scope = "anyhow", keyRequired = false)
        void anyhow() {}

        @PostMapping("/votes")
        void vote(Optional<IdempotencyKey> key) {}

        @GetMapping("/pages/{page}/views")
        int views(@PathVariable String page) {
            return 0;
        }
    }
}
