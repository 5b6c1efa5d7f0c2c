package dev.fbf.sample;

import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

@SampleAppTest
class PageViewsTest {

    private final String server;
    private final RestTestClient http;

    PageViewsTest(@LocalServerPort int port) {
        this.server = "http://localhost:" + port;
        this.http = RestTestClient.bindToServer().baseUrl(server).build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/pages/{page}/views", "/unguarded/pages/{page}/views", "/grouped/pages/{page}/views"})
    void aPageStartsToExistWithItsFirstView(String path) {
        view(path, "new").expectBody().json("{'page': 'new', 'views': 1}");
        view(path, "new").expectBody().json("{'page': 'new', 'views': 2}");
    }

    @Test
    void anUnknownPageHasNoViews() {
        read("unknown").expectBody().json("{'page': 'unknown', 'views': 0, 'unguardedViews': 0}");
        readGrouped("unknown").expectBody().json("{'page': 'unknown', 'views': 0}");
    }

    @Test
    void aNameMayHaveTwoHundredCharactersOfAnyScript() {
        String name = "Zähler №1 計数器 ".repeat(20).substring(0, 200);

        view("/pages/{page}/views", name);
        view("/unguarded/pages/{page}/views", name);
        view("/grouped/pages/{page}/views", name);

        read(name).expectBody().jsonPath("$.page").isEqualTo(name);
        read(name).expectBody().jsonPath("$.views").isEqualTo(1);
        readGrouped(name).expectBody().jsonPath("$.views").isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "%20", "%E2%80%83%20"})
    void aBlankNameIsRefused(String name) {
        isRefused(name);
    }

    @Test
    void aNameOfMoreThanTwoHundredCharactersIsRefused() {
        isRefused("a".repeat(201));
    }

    private void isRefused(String encodedName) {
        isRefused(http.get().uri(URI.create(server + "/pages/" + encodedName)));
        isRefused(http.post().uri(URI.create(server + "/pages/" + encodedName + "/views")));
        isRefused(http.post().uri(URI.create(server + "/unguarded/pages/" + encodedName + "/views")));
        isRefused(http.get().uri(URI.create(server + "/grouped/pages/" + encodedName)));
        isRefused(http.post().uri(URI.create(server + "/grouped/pages/" + encodedName + "/views")));
    }

    private static void isRefused(RestTestClient.RequestHeadersSpec<?> request) {
        request.header("Idempotency-Key", UUID.randomUUID().toString())
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo("a page's name has 1 to 200 characters, not all of them blank");
    }

    private RestTestClient.ResponseSpec view(String uri, String page) {
        RestTestClient.ResponseSpec response = http.post()
                .uri(uri, page)
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .exchange();
        response.expectStatus().isEqualTo(HttpStatus.OK);
        return response;
    }

    private RestTestClient.ResponseSpec read(String page) {
        return read("/pages/{page}", page);
    }

    private RestTestClient.ResponseSpec readGrouped(String page) {
        return read("/grouped/pages/{page}", page);
    }

    private RestTestClient.ResponseSpec read(String uri, String page) {
        RestTestClient.ResponseSpec response = http.get().uri(uri, page).exchange();
        response.expectStatus().isEqualTo(HttpStatus.OK);
        return response;
    }
}
