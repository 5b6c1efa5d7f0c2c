package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SubmissionPublisher;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.domain.PageImpl;
import org.springframework.data.domain.ScrollPosition;
import org.springframework.data.domain.SliceImpl;
import org.springframework.data.domain.Window;
import org.springframework.data.util.Streamable;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;

/** Results whose declared type does not show that they are work still to be done. */
@GuardedApp
class UnfinishedResultsTest extends CountingAppTest {

    static Stream<Object> unfinished() {
        Callable<Integer> callable = () -> 1;
        Supplier<Integer> supplier = () -> 1;
        Flow.Publisher<Integer> publisher = new SubmissionPublisher<>();
        return Stream.of(
                callable,
                supplier,
                new Supplier<>() {
                    @Override
                    public Integer get() {
                        return 1;
                    }
                },
                publisher,
                new CompletableFuture<>(),
                new FutureTask<>(callable),
                new DeferredResult<>(),
                IntStream.range(0, 1),
                Optional.of(callable),
                ResponseEntity.ok(callable),
                new HttpEntity<>(new CompletableFuture<>()));
    }

    @ParameterizedTest
    @MethodSource("unfinished")
    void areRefusedBeforeTheCommit(Object result) {
        assertThatIllegalStateException()
                .isThrownBy(() -> counter.countAndReturn("a", result))
                .withMessageContainingAll("Counter.countAndReturn", "work still to be done", "rolled back");

        assertThat(counted.value()).isZero();
        assertThat(counter.countAndReturn("a", "finished")).isEqualTo("finished");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void whatIsFinishedIsReturned() {
        List<@Nullable Object> results = List.of(
                "text",
                1,
                List.of(),
                Optional.empty(),
                ResponseEntity.noContent().build(),
                new int[0],
                new PageImpl<>(List.of(1)),
                ResponseEntity.ok(new SliceImpl<>(List.of(1))),
                Window.from(List.of(1), ScrollPosition::offset),
                Streamable.of(1),
                Streamable.empty());
        for (int i = 0; i < results.size(); i++) {
            assertThat(counter.countAndReturn("finished " + i, results.get(i))).isSameAs(results.get(i));
        }
    }
}
