package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.db.Response;
import dev.fbf.spring.ChildJvm;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RecentResponsesTest {

    /** Room for two answers with a body of 100 bytes. */
    private final RecentResponses recent = new RecentResponses(1_300);

    private final Consumer<Response> anonymous = recent.of("orders", "");

    @Test
    void theOldestGivesWay() {
        anonymous.accept(response(1, 100));
        anonymous.accept(response(2, 100));
        anonymous.accept(response(3, 100));

        assertThat(find(1)).isNull();
        assertThat(find(2)).isEqualTo(response(2, 100));
        assertThat(find(3)).isEqualTo(response(3, 100));
    }

    @Test
    void aLaterResponseTakesThePlaceOfAnEarlierOne() {
        anonymous.accept(response(1, 100));
        anonymous.accept(response(2, 100));
        anonymous.accept(response(1, 50));
        anonymous.accept(response(3, 100));

        assertThat(find(1)).isEqualTo(response(1, 50));
        assertThat(find(2)).isNull();
    }

    @Test
    void oneThatIsLargerThanTheRoomIsNotKept() {
        anonymous.accept(response(1, 2_000));
        assertThat(find(1)).isNull();

        anonymous.accept(response(2, 100));
        assertThat(find(2)).isNotNull();
    }

    @Test
    void oneThatIsLargerThanTheRoomTakesNoRoomOfOthers() {
        anonymous.accept(response(1, 100));
        anonymous.accept(response(2, 2_000));

        assertThat(find(1)).isNotNull();
    }

    @Test
    void theNoteThatAResponseIsNotKeptTakesThePlaceOfAnEarlierOne() {
        anonymous.accept(response(1, 100));
        anonymous.accept(Response.notKept(new UUID(0, 1)));

        assertThat(find(1)).isNull();
    }

    @Test
    void headersAndCallersCountAsBodiesDo() {
        anonymous.accept(new Response(new UUID(0, 1), 201, "x".repeat(600), Response.Ending.RETURNED, new byte[0]));
        anonymous.accept(response(2, 0));
        assertThat(find(1)).isNull();
        assertThat(find(2)).isNotNull();

        recent.of("orders", "ada".repeat(100)).accept(response(3, 0));
        assertThat(find(2)).isNull();
        assertThat(find(3)).isNotNull();
    }

    @Test
    void aCallerWithMoreThanItsShareTakesNoRoomOfOthers() {
        RecentResponses shared = new RecentResponses(100_000);
        Consumer<Response> ada = shared.of("orders", "ada");
        for (int i = 1; i <= 10; i++) {
            ada.accept(response(i, 100));
        }
        Consumer<Response> flood = shared.of("orders", "");
        for (int i = 100; i < 5_000; i++) {
            flood.accept(response(i, 100));
        }

        for (int i = 1; i <= 10; i++) {
            assertThat(shared.find("any", operation(i))).isNotNull();
        }
        assertThat(shared.find("any", operation(4_999))).isNotNull();
    }

    /** A tenth more, for what differs between JVMs. */
    @Test
    @Tag("slow")
    void theHeapThatIsStatedIsEnoughWhateverPartOfAResponseIsLarge() throws Exception {
        Process flooded = ChildJvm.start(ChildJvm.wholeClasspath(), Flood.class);

        assertThat(flooded.waitFor()).isZero();
    }

    private @Nullable Response find(long operation) {
        return recent.find("any", operation(operation));
    }

    private static Operation operation(long id) {
        return new Operation(new OperationId(0, id), "");
    }

    private static Response response(long operation, int length) {
        return new Response(new UUID(0, operation), 200, "", Response.Ending.RETURNED, new byte[length]);
    }

    /** Callers who make one part of each response as large as they can, or all parts as small. */
    static final class Flood {

        private static final long MAX_BYTES = 16 << 20;

        private Flood() {}

        public static void main(String[] arguments) {
            RecentResponses responses = new RecentResponses(MAX_BYTES);
            Runtime heap = Runtime.getRuntime();
            long before = used(heap);
            for (int part = 0; part < 5; part++) {
                for (int i = 0; i < 100_000; i++) {
                    responses
                            .of("orders", part == 3 ? i + "u".repeat(200) : part == 4 ? "" + i : "")
                            .accept(response(part));
                }
                long taken = used(heap) - before;
                if (taken > MAX_BYTES * 11 / 10) {
                    System.err.println("part=" + part + ": the responses take " + taken + " bytes");
                    System.exit(1);
                }
            }
            responses.find("any", operation(0));
        }

        private static Response response(int part) {
            return new Response(
                    UUID.randomUUID(),
                    201,
                    text(part == 0 ? 16_000 : part == 1 ? 100 : 10),
                    Response.Ending.RETURNED,
                    new byte[part == 2 ? 4_096 : 0]);
        }

        /** Of characters that a header may have. */
        private static String text(int length) {
            char[] text = new char[length];
            Arrays.fill(text, (char) ('\u00a1' + ThreadLocalRandom.current().nextInt(90)));
            return new String(text);
        }

        /** The serial collector leaves gaps, which count as used, in three of four collections. */
        private static long used(Runtime heap) {
            for (int i = 0; i < 4; i++) {
                System.gc();
            }
            return heap.totalMemory() - heap.freeMemory();
        }
    }
}
