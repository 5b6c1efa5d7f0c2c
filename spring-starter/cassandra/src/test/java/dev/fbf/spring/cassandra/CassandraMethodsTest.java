package dev.fbf.spring.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.cassandra.app.CountingApp.Pages;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Annotated methods, called by requests and by the application. */
@Timeout(120)
@ExtendWith(TwoNodes.class)
class CassandraMethodsTest {

    private final Pages pages = TwoNodes.first().bean(Pages.class);

    @Test
    void aRetryGetsTheResponseOfARetryWhateverNodeItComesTo() throws Exception {
        String key = "8e03978e-40d5-43dd-bc93-6894a57f9324";
        HttpResponse<String> first = TwoNodes.first().post("/pages/home/views", key);
        HttpResponse<String> same = TwoNodes.first().post("/pages/home/views", key);
        HttpResponse<String> elsewhere = TwoNodes.other().post("/pages/home/views", key);

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(List.of(same, elsewhere)).allSatisfy(retry -> {
            assertThat(retry.statusCode()).isEqualTo(200);
            assertThat(retry.body()).isEqualTo(first.body());
            assertThat(retry.headers().firstValue("Idempotent-Replayed")).contains("true");
        });
    }

    @Test
    void aRequestWithoutAKeyIsRefusedAndSoIsAnotherRequestWithTheKey() throws Exception {
        assertThat(TwoNodes.first().post("/pages/home/views", "").statusCode()).isEqualTo(400);
        TwoNodes.first().post("/pages/a/views", "reused-key-of-one-request");

        HttpResponse<String> reused = TwoNodes.first().post("/pages/b/views", "reused-key-of-one-request");
        HttpResponse<String> elsewhere = TwoNodes.other().post("/pages/b/views", "reused-key-of-one-request");

        assertThat(reused.statusCode()).isEqualTo(422);
        assertThat(elsewhere.statusCode()).isEqualTo(422);
        assertThat(TwoNodes.first().counters("views").value("b")).isEmpty();
    }

    @Test
    void aHandlerCountsWithTheKeyOfItsRequest() throws Exception {
        String key = "5f1c2a77-9f0e-4b43-8a53-7a4d1f0f2f11";
        HttpResponse<String> first = TwoNodes.first().post("/argument/key/views", key);
        HttpResponse<String> same = TwoNodes.first().post("/argument/key/views", key);
        HttpResponse<String> elsewhere = TwoNodes.other().post("/argument/key/views", key);

        assertThat(first.body()).isEqualTo("1");
        assertThat(same.body()).isEqualTo("1");
        assertThat(elsewhere.statusCode()).isBetween(200, 204);
        assertThat(List.of(same, elsewhere))
                .allSatisfy(retry -> assertThat(retry.headers().firstValue("Idempotent-Replayed"))
                        .contains("true"));
        assertThat(TwoNodes.other().post("/argument/keys/views", key).statusCode())
                .isEqualTo(422);
        assertThat(TwoNodes.first().post("/argument/key/views", "").statusCode())
                .isEqualTo(400);
        assertThat(TwoNodes.first()
                        .post("/argument/apart/apart", "a-second-use")
                        .statusCode())
                .isEqualTo(500);
        assertThat(TwoNodes.first().counters("views").values(List.of("key", "keys", "apart", "aparts")))
                .isEqualTo(Map.of("key", 1L, "apart", 1L));
    }

    @Test
    void whatTheMethodDoesAfterItsIncrementChangesNothing() {
        assertThatIllegalArgumentException().isThrownBy(() -> pages.addAndThrow("failing", true));

        assertThat(pages.addAndThrow("failing", false)).as("a replay").isEqualTo(1);
    }

    @Test
    void aMethodAddsOnceAndToItsOwnScope() {
        assertThatIllegalStateException()
                .isThrownBy(() -> pages.addTwice("twice"))
                .withMessageContaining("increment(Map)");
        assertThatIllegalStateException()
                .isThrownBy(() -> pages.addToAnotherScope("another"))
                .withMessageContaining("has the scope views");
        assertThatIllegalStateException()
                .isThrownBy(() -> TwoNodes.first().counters("counters").increment("page"))
                .withMessageContaining("not an @IdempotentIncrement method");
    }

    @Test
    void aCallDoesNotWaitForAMethodThatItIsIn() {
        assertThatExceptionOfType(OperationInProgressException.class)
                .isThrownBy(() -> pages.addAfter(
                        "outer", () -> pages.addAfter("inner", () -> pages.addAfter("outer", () -> {}))));

        pages.addAfter("outer", () -> {});
        assertThat(TwoNodes.first().counters("views").value("after")).hasValue(1);
    }

    @Test
    void aMethodThatAddsNothingLeavesItsOperationNew() {
        assertThat(pages.addUnless("nothing", true)).isZero();
        assertThat(pages.addUnless("nothing", true)).isZero();

        assertThat(pages.addUnless("nothing", false)).isEqualTo(1);
        assertThat(pages.addUnless("nothing", false)).as("a replay").isEqualTo(-1);
    }
}
