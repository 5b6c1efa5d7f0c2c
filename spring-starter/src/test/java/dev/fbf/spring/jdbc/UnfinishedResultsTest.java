package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.method.CallerOfTheTest;
import java.nio.file.Path;
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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.web.context.request.async.DeferredResult;

/** Results whose declared type does not show that they are work still to be done. */
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
class UnfinishedResultsTest {

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    private CountedTable counted;
    private Returning returning;

    @SuppressWarnings("UnusedVariable") // the application has it
    UnfinishedResultsTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource, @TempDir Path directory) {
        app = CountingApp.start(directory, new String[] {"fbf.mode=" + mode}, context -> {
            CountingApp.addTo(context, dataSource);
            CallerOfTheTest.addTo(context);
            context.registerBean(Returning.class, () -> new Returning(dataSource));
        });
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        returning = app.bean(Returning.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    static Stream<Object> unfinished() {
        Callable<Integer> callable = () -> 1;
        Supplier<Integer> supplier = () -> 1;
        Flow.Publisher<Integer> publisher = new SubmissionPublisher<>();
        return Stream.of(
                callable,
                supplier,
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
                .isThrownBy(() -> returning.count("a", result))
                .withMessageContainingAll("Returning.count", "work still to be done", "rolled back");

        assertThat(counted.value()).isZero();
        assertThat(returning.count("a", "finished")).isEqualTo("finished");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void rollBackTheCallersTransactionToo() {
        assertThatExceptionOfType(UnexpectedRollbackException.class)
                .isThrownBy(() -> app.transaction.executeWithoutResult(status -> {
                    app.counter.count("other");
                    assertThatIllegalStateException().isThrownBy(() -> returning.count("a", new CompletableFuture<>()));
                }));

        assertThat(counted.value()).isZero();
        assertThat(app.status.all()).extracting(ScopeClaims::held).containsOnly(0);
        assertThat(app.counter.count("other")).isEqualTo("counted");
    }

    @Test
    void ofAScopeAreRefused() {
        IdempotencyKey key = IdempotencyKey.of(CallerOfTheTest.current());

        assertThatIllegalStateException()
                .isThrownBy(() -> app.bean(IdempotentOperations.class)
                        .scope("later")
                        .execute(key, () -> new CompletableFuture<>(), () -> new CompletableFuture<>()))
                .withMessageContainingAll("scope later", "work still to be done");
    }

    @Test
    void whatIsFinishedIsReturned() {
        List<@Nullable Object> results = List.of(
                "text",
                1,
                List.of(),
                Optional.empty(),
                ResponseEntity.noContent().build(),
                new int[0]);
        for (int i = 0; i < results.size(); i++) {
            assertThat(returning.count("finished " + i, results.get(i))).isSameAs(results.get(i));
        }
    }

    static class Returning {

        private final JdbcClient jdbc;

        Returning(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(scope = "returning", key = "#key", caller = CallerOfTheTest.EXPRESSION)
        public @Nullable Object count(String key, @Nullable Object result) {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            return result;
        }
    }
}
