package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.filter.OpenFilter;
import dev.fbf.spring.transaction.NodeStatus;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** A key of more than one request, in a filter: after restarts, and what its memory costs. */
@GuardedApp(modes = Mode.FILTER, beans = ReusedKeyTest.Pages.class, properties = "fbf.responses.enabled=false")
class ReusedKeyTest extends HttpAppTest {

    private final JdbcClient jdbc = JdbcClient.create(dataSource);

    @BeforeEach
    void makeTable() {
        jdbc.sql("DROP TABLE IF EXISTS page").update();
        jdbc.sql("CREATE TABLE page AS SELECT name, 0 AS views FROM (VALUES ('a'), ('b')) AS names(name)")
                .update();
    }

    @Tag("slow")
    @Test
    void isRefusedAfterARestartTooAndReplayedForAnyRequestIfThatIsAskedFor() throws Exception {
        view("a");
        restart();

        assertThat(view("b").statusCode()).isEqualTo(422);
        assertThat(view("a").statusCode()).isEqualTo(200);
        assertThat(views("a")).isEqualTo(1);
        assertThat(views("b")).isZero();

        restart("fbf.fingerprint.enabled=false");

        assertThat(status(view("a"))).isEqualTo("200 replayed");
        assertThat(status(view("b"))).isEqualTo("200 replayed");
        assertThat(views("a")).isEqualTo(1);
        restart();
    }

    /** The key was used for a page that is not there, which applied nothing, and then for another: the first request is not the one applied. */
    @Test
    void ofARequestThatFailedIsRefusedOnceAnotherWasApplied() throws Exception {
        assertThat(view("none").statusCode()).isEqualTo(500);
        assertThat(view("a").statusCode()).isEqualTo(200);

        assertThat(view("none").statusCode()).isEqualTo(422);
        assertThat(status(view("a"))).isEqualTo("200 replayed");
    }

    /** What an application before this version left behind: nobody knows which requests its operations were of. */
    @Tag("slow")
    @Test
    void isReplayedForAnyRequestIfItWasUsedBeforeRequestsWereComparedAndComparedIfItIsUsedAfterThat() throws Exception {
        String later = UUID.randomUUID().toString();
        restart("fbf.fingerprint.enabled=false");
        assertThat(view("a").statusCode()).isEqualTo(200);
        restart();

        assertThat(status(view("a"))).isEqualTo("200 replayed");
        assertThat(status(view("b"))).isEqualTo("200 replayed");
        assertThat(views("a")).isEqualTo(1);
        assertThat(views("b")).isZero();
        assertThat(status(view("a", later))).isEqualTo("200");
        assertThat(view("a", later).statusCode()).isEqualTo(200);
        assertThat(view("b", later).statusCode()).isEqualTo(422);
    }

    @Test
    void takesNoMemoryInScopesWithoutKeysInTheHeader() {
        assertThat(app.bean(NodeStatus.class).all())
                .extracting(
                        NodeStatus.OpenScope::name,
                        scope -> OpenFilter.of(scope).plan().stated().requests())
                .contains(tuple("page-views", true), tuple("webhook", false));
    }

    @Test
    void stopsTheStartIfThereIsNoRoomForRequests(@TempDir Path other) {
        String[] room = {"fbf.expected-operations-per-second=1000", "fbf.max-size=5MB"};

        assertThatThrownBy(() -> HttpApp.start(dataSource, other, Pages.class, room))
                .hasMessageContaining("fbf.max-size")
                .hasStackTraceContaining("or less without requests: fbf.fingerprint.enabled=false");
        HttpApp.start(dataSource, other.resolve("off"), Pages.class, room[0], room[1], "fbf.fingerprint.enabled=false")
                .close();
    }

    private HttpResponse<String> view(String page) throws Exception {
        return view(page, key);
    }

    private HttpResponse<String> view(String page, String itsKey) throws Exception {
        return app.post("/pages/" + page + "/views", "Idempotency-Key", itsKey);
    }

    private long views(String page) {
        return jdbc.sql("SELECT views FROM page WHERE name = ?")
                .param(page)
                .query(Long.class)
                .single();
    }

    @RestController
    static class Pages {

        private final JdbcClient jdbc;

        Pages(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @PostMapping("/pages/{page}/views")
        @IdempotentIncrement(scope = "page-views", onDuplicate = "current")
        Views view(@PathVariable String page) {
            jdbc.sql("UPDATE page SET views = views + 1 WHERE name = ?")
                    .param(page)
                    .update();
            return current(page);
        }

        Views current(String page) {
            return jdbc.sql("SELECT name, views FROM page WHERE name = ?")
                    .param(page)
                    .query((row, number) -> new Views(row.getString(1), row.getLong(2)))
                    .single();
        }

        @PostMapping("/webhook")
        @IdempotentIncrement(scope = "webhook", key = "#event.id")
        int receive(@RequestBody Event event) {
            return event.attempt();
        }
    }

    record Views(String page, long views) {}

    record Event(String id, int attempt) {}
}
