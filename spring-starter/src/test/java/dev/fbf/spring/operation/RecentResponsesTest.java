package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.db.dialect.Response;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecentResponsesTest {

    /** Room for two answers with a body of 100 bytes. */
    private final RecentResponses recent = new RecentResponses(1_300);

    private final Consumer<Response> anonymous = of(recent, "");

    @Test
    void theOldestGivesWay() {
        anonymous.accept(response(1, 100));
        anonymous.accept(response(2, 100));
        anonymous.accept(response(3, 100));

        assertThat(find(1)).isNull();
        assertThat(find(2)).usingRecursiveComparison().isEqualTo(response(2, 100));
        assertThat(find(3)).usingRecursiveComparison().isEqualTo(response(3, 100));
    }

    @Test
    void oneThatIsLargerThanTheRoomIsNotKept() {
        anonymous.accept(response(1, 2_000));
        assertThat(find(1)).isNull();

        anonymous.accept(response(2, 100));
        assertThat(find(2)).isNotNull();
    }

    @Test
    void headersAndCallersCountAsBodiesDo() {
        anonymous.accept(new Response(new UUID(0, 1), 201, "x".repeat(600), new byte[0]));
        anonymous.accept(response(2, 0));
        assertThat(find(1)).isNull();
        assertThat(find(2)).isNotNull();

        of(recent, "ada".repeat(100)).accept(response(3, 0));
        assertThat(find(2)).isNull();
        assertThat(find(3)).isNotNull();
    }

    @Test
    void aCallerWithMoreThanItsShareTakesNoRoomOfOthers() {
        RecentResponses shared = new RecentResponses(100_000);
        Consumer<Response> ada = of(shared, "ada");
        for (int i = 1; i <= 10; i++) {
            ada.accept(response(i, 100));
        }
        Consumer<Response> flood = of(shared, "");
        for (int i = 100; i < 5_000; i++) {
            flood.accept(response(i, 100));
        }

        for (int i = 1; i <= 10; i++) {
            assertThat(shared.find(operation(i))).isNotNull();
        }
        assertThat(shared.find(operation(4_999))).isNotNull();
    }

    private static Consumer<Response> of(RecentResponses responses, String caller) {
        Operation operation = new Operation(new OperationId(0, 0), caller, "", null);
        return response -> responses.keep("orders", operation, response);
    }

    private @Nullable Response find(long operation) {
        return recent.find(operation(operation));
    }

    private static Operation operation(long id) {
        return new Operation(new OperationId(0, id), "", "", null);
    }

    private static Response response(long operation, int length) {
        return new Response(new UUID(0, operation), 200, "", new byte[length]);
    }
}
