package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.Wire;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a process in ledger mode sends to the server, and what the server's log shows of it. */
@ExtendWith(PostgresExtension.class)
@SuppressWarnings("NullAway.Init") // set before the tests
class StatementsOnTheWireTest {

    private static Wire wire;
    private static CountingApp app;

    /** Not on the wire. */
    private static CountingApp elsewhere;

    private final Counter counter = app.counter;
    private final String name = UUID.randomUUID().toString();

    @BeforeAll
    static void start(DataSource dataSource, EmbeddedPostgres postgres, @TempDir Path directory) throws IOException {
        CountedTable.makeIn(dataSource);
        wire = Wire.to(postgres.getPort());
        app = startNode(wire.dataSource("postgres"), directory.resolve("here"));
        elsewhere = startNode(dataSource, directory.resolve("elsewhere"));
        scopeOf(app).execute(IdempotencyKey.of("opened"), () -> {});
        app.bean(SqlCounters.class).increment(IdempotencyKey.of("opened"), "any", 1);
    }

    private static CountingApp startNode(DataSource dataSource, Path directory) {
        return CountingApp.start(dataSource, directory, "fbf.mode=ledger", ConstantsOfTheTest.UNREGISTERED);
    }

    @AfterAll
    static void stop() throws IOException {
        app.close();
        elsewhere.close();
        wire.close();
    }

    @BeforeEach
    void listen(DataSource dataSource) {
        CountedTable.makeIn(dataSource);
        wire.sent();
    }

    @Test
    void theRowOfAMethodThatOnlyExecutesSqlIsInOneMessageWithCommit() {
        assertThat(counter.countInSqlOnly("a")).isEqualTo("counted");

        List<String> sent = textOfTransaction();
        assertThat(indexOf(sent, "fbf_ledger")).isGreaterThan(indexOf(sent, "update counted"));
        assertThat(sent)
                .filteredOn(message -> message.contains("fbf_ledger"))
                .allMatch(message -> message.contains("commit"));
        assertThat(sent).filteredOn(message -> message.contains("commit")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRetryOfAnOperationThatAnotherNodeHasAppliedLeavesNoErrorInTheServersLog(boolean callersTransaction) {
        IdempotencyKey key = IdempotencyKey.of(name);
        elsewhere.counter.count("a");
        elsewhere.counter.countTransactionally("b");
        scopeOf(elsewhere).execute(key, () -> {});
        scopeOf(elsewhere).executeAll(List.of("c", "d"), this::key, fresh -> {});
        List<String> before = wire.errors();

        Runnable retries = () -> {
            assertThat(counter.count("a")).isEqualTo("counted before: a");
            assertThat(counter.countTransactionally("b")).isEqualTo("counted before: b");
            assertThat(scopeOf(app).execute(key, () -> {})).isFalse();
            assertThat(scopeOf(app).executeAll(List.of("c", "d", "e"), this::key, fresh -> {}))
                    .isEqualTo(1);
        };
        if (callersTransaction) {
            app.transaction.executeWithoutResult(status -> retries.run());
        } else {
            retries.run();
        }

        assertThat(wire.errors()).isEqualTo(before);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
    }

    /** Alone in its transaction, the row needs no {@code ON CONFLICT}, which costs the server more than the row. */
    @Test
    void onlyARowInItsCallersTransactionIsOneThatCannotFail() {
        counter.count("a");
        assertThat(textOfTransaction()).noneMatch(message -> message.contains("on conflict"));

        app.transaction.executeWithoutResult(status -> counter.count("b"));
        assertThat(textOfTransaction()).anyMatch(message -> message.contains("on conflict"));
    }

    @Test
    void aRetryOfAnIncrementReadsItsRowAndTheCountersValueWithOneStatement() {
        SqlCounters counters = app.bean(SqlCounters.class);
        assertThat(counters.increment(key("a"), name, 2)).isEqualTo(2);
        assertThat(counters.increment(key("b"), name, 3)).isEqualTo(5);
        wire.sent();

        assertThat(counters.increment(key("a"), name, 2)).isEqualTo(5);

        assertThat(textOfTransaction())
                .filteredOn(message -> message.contains("select"))
                .singleElement()
                .asString()
                .contains("fbf_ledger", "fbf_counter");
    }

    private static List<String> textOfTransaction() {
        return wire.sent().stream()
                .map(message -> message.toLowerCase(Locale.ROOT))
                .toList();
    }

    private static int indexOf(List<String> messages, String text) {
        for (int i = 0; i < messages.size(); i++) {
            if (messages.get(i).contains(text)) {
                return i;
            }
        }
        throw new AssertionError(text + " is in none of " + messages.size() + " messages");
    }

    private IdempotencyKey key(String item) {
        return IdempotencyKey.of(name + item);
    }

    private static IdempotentScope scopeOf(CountingApp app) {
        return app.bean(IdempotentOperations.class).scope("scope");
    }
}
