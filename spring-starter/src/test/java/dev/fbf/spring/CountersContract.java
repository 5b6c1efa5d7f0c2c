package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;

/** What {@link Counters} promise wherever they are. The counters' names are other ones in each test. */
public abstract class CountersContract {

    private final String test = UUID.randomUUID().toString();
    private final IdempotencyKey key = key("key");

    /** Annotated methods that count. A retry gets the counter's value, below 0. */
    public static class Views {

        private final Counters counters;

        /**
         * @param counters those that the methods add to; where that matters they have the scope {@code views}
         */
        public Views(Counters counters) {
            this.counters = counters;
        }

        @IdempotentIncrement(scope = "views", key = "#key", onDuplicate = "duplicate")
        public long add(String key, String page) {
            return counters.increment(page);
        }

        @IdempotentIncrement(scope = "views", key = "#key")
        public Map<String, Long> addToBoth(String key, String page, String other) {
            return counters.increment(Map.of(page, 1L, other, -1L));
        }

        /** The handler of duplicates. */
        public long duplicate(String key, String page) {
            return -counters.value(page).orElse(0);
        }
    }

    protected abstract Counters counters();

    /** Those of another scope. */
    protected abstract Counters ofAnotherScope();

    protected abstract Views views();

    /** Stops an application and starts it again: its counters, which are in the scope of {@link #counters()}. */
    protected abstract Counters afterARestart() throws Exception;

    protected final IdempotencyKey key(String name) {
        return IdempotencyKey.of(test + "-" + name);
    }

    protected final String name(String name) {
        return test + "-" + name;
    }

    @Test
    void eachKeyAddsOnceAndIsToldTheValueThatItMade() throws Exception {
        String page = name("page");

        List<Long> values = together(200, i -> counters().increment(key("key" + i), page, 2));
        List<Long> retries = together(200, i -> counters().increment(key("key" + i), page, 2));

        assertThat(values)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, 200).map(i -> 2 * i).boxed().toList());
        assertThat(retries).containsOnly(400L);
        assertThat(counters().value(page)).hasValue(400);
    }

    @Test
    void theSameKeyAddsToEachOfTwoCounters() {
        counters().increment(key, name("orders"), 1);
        counters().increment(key, name("revenue"), 4_999);

        assertThat(counters().increment(key, name("orders"), 1)).isEqualTo(1);
        assertThat(counters().increment(key, name("revenue"), 4_999)).isEqualTo(4_999);
        assertThat(counters().increment(key("another"), name("revenue"), -99)).isEqualTo(4_900);
    }

    @Test
    void theSameKeyAddsInEachOfTwoScopes() {
        long before = ofAnotherScope().value("home").orElse(0);
        long expected = counters().value("home").orElse(0) + 1;

        assertThat(counters().increment(key, "home", 1)).isEqualTo(expected);
        assertThat(ofAnotherScope().increment(key, "home", 4_999)).isEqualTo(before + 4_999);
    }

    @Test
    void aRetryWithAnotherDeltaIsARetry() {
        counters().increment(key, name("page"), 1);

        assertThat(counters().increment(key, name("page"), -5)).isEqualTo(1);
    }

    @Test
    void theSameKeyWithOtherCountersNamesAnotherOperation() {
        String a = name("a");
        String b = name("b");
        String c = name("c");
        counters().increment(key, Map.of(a, 1L, b, 1L));
        counters().increment(key, Map.of(a, 1L, c, 1L));
        counters().increment(key, a, 1);

        assertThat(counters().values(List.of(a, b, c))).isEqualTo(Map.of(a, 3L, b, 1L, c, 1L));
        assertThat(counters().increment(key, Map.of(b, 1L, a, 1L))).isEqualTo(Map.of(a, 3L, b, 1L));
        assertThat(counters().increment(key, Map.of(a, 1L))).isEqualTo(Map.of(a, 3L));
    }

    @Test
    void anIncrementThatWouldLeaveTheRangeAddsToNoneAndItsKeyIsNewAgain() {
        String full = name("full");
        String other = name("other");
        counters().increment(key("most"), full, Long.MAX_VALUE);

        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> counters().increment(key, full, 1));
        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> counters().increment(key, Map.of(full, 1L, other, 1L)));

        assertThat(counters().value(other)).isEmpty();
        counters().increment(key("less"), full, -1);
        assertThat(counters().increment(key, full, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(counters().increment(key, Map.of(full, -1L, other, 1L)))
                .isEqualTo(Map.of(full, Long.MAX_VALUE - 1, other, 1L));
    }

    @Test
    void whatCannotBeAddedIsRefusedAndTheKeyStaysNew() {
        String page = name("page");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> counters().increment(key, page, 0))
                .withMessage("delta=0: must be another number");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> counters().increment(key, "", 1))
                .withMessageContaining("characters");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> counters().increment(key, "a".repeat(10_000), 1))
                .withMessageContaining("characters");
        assertThatIllegalStateException()
                .isThrownBy(() -> counters().increment(page))
                .withMessageContaining("not an @IdempotentIncrement method");

        assertThat(counters().value(page)).isEmpty();
        assertThat(counters().increment(key, page, 1)).isEqualTo(1);
    }

    @Test
    void aRetryAfterARestartIsARetry() throws Exception {
        counters().increment(key, name("page"), 1);

        assertThat(afterARestart().increment(key, name("page"), 1)).isEqualTo(1);
    }

    @Test
    void aGuardedMethodAddsOnceAndARetryGetsTheResponseOfItsHandler() throws Exception {
        String page = name("page");

        List<Long> values = together(40, i -> views().add(test + i, page));

        assertThat(values)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, 40).boxed().toList());
        assertThat(views().add(test + 7, page)).isEqualTo(-40);
    }

    @Test
    void aGuardedMethodAddsToSeveralCounters() {
        assertThat(views().addToBoth(test, name("from"), name("to")))
                .isEqualTo(Map.of(name("from"), 1L, name("to"), -1L));
    }

    /** A call, by its number. */
    protected interface Call {
        long with(int i) throws Exception;
    }

    /** Makes calls in 16 threads, and returns their values. */
    protected static List<Long> together(int calls, Call call) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(16);
        try {
            List<Callable<Long>> all = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                int number = i;
                all.add(() -> call.with(number));
            }
            List<Long> values = new ArrayList<>();
            for (Future<Long> each : callers.invokeAll(all)) {
                values.add(each.get());
            }
            return values;
        } finally {
            callers.shutdownNow();
        }
    }
}
