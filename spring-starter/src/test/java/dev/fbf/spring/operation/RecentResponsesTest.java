package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.db.dialect.Response;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecentResponsesTest {

    /** Room for two answers with a body of 100 bytes. */
    private final RecentResponses recent = new RecentResponses(900);

    @Test
    void theOldestGivesWay() {
        recent.keep(response(1, 100));
        recent.keep(response(2, 100));
        recent.keep(response(3, 100));

        assertThat(find(1)).isNull();
        assertThat(find(2)).usingRecursiveComparison().isEqualTo(response(2, 100));
        assertThat(find(3)).usingRecursiveComparison().isEqualTo(response(3, 100));
    }

    @Test
    void oneThatIsLargerThanTheRoomIsNotKept() {
        recent.keep(response(1, 2_000));
        assertThat(find(1)).isNull();

        recent.keep(response(2, 100));
        assertThat(find(2)).isNotNull();
    }

    @Test
    void headersCountAsBodiesDo() {
        recent.keep(new Response(new UUID(0, 1), 201, "x".repeat(200), new byte[0]));
        recent.keep(response(2, 100));
        assertThat(find(1)).isNull();
        assertThat(find(2)).isNotNull();
    }

    private @Nullable Response find(long operation) {
        return recent.find(new Operation(new OperationId(0, operation), "", null));
    }

    private static Response response(long operation, int length) {
        return new Response(new UUID(0, operation), 200, "", new byte[length]);
    }
}
