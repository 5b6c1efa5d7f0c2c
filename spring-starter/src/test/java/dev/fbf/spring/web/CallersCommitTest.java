package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationUnavailableException;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What a client is told when the transaction that did not answer was not begun by the guarded method, but around it. */
@GuardedApp(
        modes = Mode.FILTER,
        beans = {WaysToCount.class, CallersCommitTest.OwnHandler.class},
        properties = {"test.settle-timeout=500ms", HttpApp.SILENT_FAILURES})
class CallersCommitTest extends HttpAppTest {

    @Test
    void isAskedToTryAgainIfItsOperationWasAppliedAndItsAnswerIsLost() throws Exception {
        dataSource.breakNextCommit(FragileDataSource.Fate.UNANSWERED);
        HttpResponse<String> first = post("/outer");
        HttpResponse<String> second = post("/outer");

        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.headers().firstValue("Retry-After")).isPresent();
        assertThat(first.body()).contains("tag:fbf.dev,2026:problem:in-doubt", "was applied");
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.body()).isEqualTo("counted before");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void isAskedToTryAgainIfTheConnectionBrokeAndNothingWasApplied() throws Exception {
        dataSource.breakNextCommit(FragileDataSource.Fate.LOST);
        HttpResponse<String> first = post("/outer");

        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.headers().firstValue("Retry-After")).isPresent();
        assertThat(first.body()).contains("tag:fbf.dev,2026:problem:unreachable", "was not applied");
        assertThat(post("/outer").body()).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void isAskedToTryAgainWhileNobodyKnows() throws Exception {
        dataSource.breakNextCommitAndCutOff(FragileDataSource.Fate.UNANSWERED);
        HttpResponse<String> first = post("/outer");
        dataSource.reconnect();

        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.body()).contains("is not known yet");
        await().until(() -> post("/outer").body().equals("counted before"));
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void isToldWhatTheCallerThrewWithoutAnyOperation() throws Exception {
        assertThat(post("/plain").statusCode()).isEqualTo(500);
    }

    /** No one knows which guarded method the handler would have called. */
    @Test
    void theRefusalNamesNoScopeWhereNoGuardedMethodWasReached() throws Exception {
        dataSource.cutOff();
        HttpResponse<String> refused = post("/own-handler");
        dataSource.reconnect();

        assertThat(refused.body())
                .contains("No guarded method was reached", "was not applied now")
                .doesNotContain("scope");
    }

    @RestController
    static class OwnHandler {

        private final WaysToCount.Inner inner;

        OwnHandler(WaysToCount.Inner inner) {
            this.inner = inner;
        }

        @PostMapping("/plain")
        public String plain() {
            throw new IllegalArgumentException("mine");
        }

        @PostMapping("/own-handler")
        @Transactional
        public String outer() {
            return inner.count();
        }

        @ExceptionHandler
        public String onRefusal(OperationUnavailableException refusal) {
            return String.valueOf(refusal.getMessage());
        }
    }
}
