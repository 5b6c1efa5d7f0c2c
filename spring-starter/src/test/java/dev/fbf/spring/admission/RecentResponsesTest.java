package dev.fbf.spring.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.Response;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RecentResponsesTest {

    /** Room for two answers with a body of 100 bytes. */
    private final RecentResponses recent = new RecentResponses(800);

    @Test
    void theOldestGivesWay() {
        recent.add(response(1, 100));
        recent.add(response(2, 100));
        recent.add(response(3, 100));

        assertThat(recent.find(new UUID(0, 1))).isNull();
        assertThat(recent.find(new UUID(0, 2))).isEqualTo(response(2, 100));
        assertThat(recent.find(new UUID(0, 3))).isEqualTo(response(3, 100));
    }

    @Test
    void aLaterResponseTakesThePlaceOfAnEarlierOne() {
        recent.add(response(1, 100));
        recent.add(response(2, 100));
        recent.add(response(1, 50));
        recent.add(response(3, 100));

        assertThat(recent.find(new UUID(0, 1))).isEqualTo(response(1, 50));
        assertThat(recent.find(new UUID(0, 2))).isNull();
    }

    @Test
    void oneThatIsLargerThanTheRoomIsNotKept() {
        recent.add(response(1, 1_000));
        assertThat(recent.find(new UUID(0, 1))).isNull();

        recent.add(response(2, 100));
        assertThat(recent.find(new UUID(0, 2))).isNotNull();
    }

    private static Response response(long operation, int length) {
        return new Response(new UUID(0, operation), 200, "", Response.Ending.RETURNED, new byte[length]);
    }
}
