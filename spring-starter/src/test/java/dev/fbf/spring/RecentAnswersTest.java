package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.Answer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RecentAnswersTest {

    /** Room for two answers with a body of 100 bytes. */
    private final RecentAnswers recent = new RecentAnswers(800);

    @Test
    void theOldestGivesWay() {
        recent.add(answer(1, 100));
        recent.add(answer(2, 100));
        recent.add(answer(3, 100));

        assertThat(recent.find(new UUID(0, 1))).isNull();
        assertThat(recent.find(new UUID(0, 2))).isEqualTo(answer(2, 100));
        assertThat(recent.find(new UUID(0, 3))).isEqualTo(answer(3, 100));
    }

    @Test
    void aLaterAnswerTakesThePlaceOfAnEarlierOne() {
        recent.add(answer(1, 100));
        recent.add(answer(2, 100));
        recent.add(answer(1, 50));
        recent.add(answer(3, 100));

        assertThat(recent.find(new UUID(0, 1))).isEqualTo(answer(1, 50));
        assertThat(recent.find(new UUID(0, 2))).isNull();
    }

    @Test
    void oneThatIsLargerThanTheRoomIsNotKept() {
        recent.add(answer(1, 1_000));
        assertThat(recent.find(new UUID(0, 1))).isNull();

        recent.add(answer(2, 100));
        assertThat(recent.find(new UUID(0, 2))).isNotNull();
    }

    private static Answer answer(long operation, int length) {
        return new Answer(new UUID(0, operation), 200, "text/plain", null, new byte[length]);
    }
}
