package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FailureAnalyses;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.operation.StartException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Each scope has a mode; those of one application may differ, and ledger mode needs no directory. UPGRADING.md says what a change of {@code
 * fbf.mode} does.
 */
class ModeOfScopeTest extends ProcessesTest {

    @BeforeEach
    void migrate() {
        FbfSchema.migrate(dataSource, null);
    }

    @Test
    void anApplicationHasScopesInBothModesAndEachRemembersInItsOwnWay() {
        try (CountingApp app = start("node", "fbf.mode=ledger", "fbf.scopes.views.mode=filter")) {
            IdempotentScope views = app.bean(IdempotentOperations.class).scope("views");
            IdempotentScope orders = app.bean(IdempotentOperations.class).scope("orders");
            IdempotencyKey key = IdempotencyKey.of(UUID.randomUUID().toString());

            views.execute(key, this::increment);
            assertThat(ledgerRows()).isZero();
            orders.execute(key, this::increment);
            assertThat(ledgerRows()).isEqualTo(1);
            for (IdempotentScope scope : List.of(views, orders)) {
                scope.execute(key, this::increment);
            }

            assertThat(counted.value()).isEqualTo(2);
            assertThat(directory.resolve("node")).isDirectoryContaining("glob:**views~*.fbf");
            assertThat(directory.resolve("node")).isDirectoryNotContaining("glob:**orders~*.fbf");
        }
    }

    @ParameterizedTest(name = "which is in {0} first")
    @ValueSource(strings = {"views", "orders"})
    void aTransactionMayApplyOperationsInBothModes(String first) {
        List<String> names = first.equals("views") ? List.of("views", "orders") : List.of("orders", "views");
        try (CountingApp app = start("node", "fbf.mode=ledger", "fbf.scopes.views.mode=filter")) {
            List<IdempotentScope> scopes = names.stream()
                    .map(app.bean(IdempotentOperations.class)::scope)
                    .toList();
            IdempotencyKey key = IdempotencyKey.of(UUID.randomUUID().toString());
            Runnable both = () -> scopes.forEach(scope -> scope.execute(key, this::increment));

            app.transaction.executeWithoutResult(status -> {
                both.run();
                status.setRollbackOnly();
            });
            assertThat(counted.value()).isZero();
            app.transaction.executeWithoutResult(status -> both.run());
            assertThat(counted.value()).isEqualTo(2);
            app.transaction.executeWithoutResult(status -> both.run());
            both.run();

            assertThat(counted.value()).isEqualTo(2);
            assertThat(app.status.all()).allMatch(scope -> scope.claims() == 0);
        }
    }

    /** As replicas on one laptop, or a container whose disk may not be written. */
    @ParameterizedTest
    @ValueSource(strings = {"", "/proc/forbidden"})
    void processesInLedgerModeNeedNoDirectoryAndMayNameTheSame(String name) {
        String path = name.isEmpty() ? directory.toString() : name;
        try (CountingApp one = CountingApp.start(dataSource, Path.of(path), "fbf.mode=ledger");
                CountingApp another = CountingApp.start(dataSource, Path.of(path), "fbf.mode=ledger")) {
            assertThat(one.counter.count("a")).isEqualTo("counted");
            assertThat(another.counter.count("a")).isEqualTo("counted before: a");
            assertThat(another.counter.count("b")).isEqualTo("counted");
            assertThat(one.counter.count("b")).isEqualTo("counted before: b");
        }
        assertThat(counted.value()).isEqualTo(2);
        assertThat(directory).isEmptyDirectory();
    }

    @Tag("slow")
    @Test
    void fromFilterToLedgerOperationsAreHeldBackForTheLedgerHasNone() {
        assertThat(count("node", "a", "filter")).isEqualTo("counted");
        assertThat(count("node", "a", "filter")).isEqualTo("counted before: a");

        assertUnavailable(() -> count("node", "a", "ledger"))
                .satisfies(e -> assertThat(e.retryAfter()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10)));
        assertUnavailable(() -> count("other", "a", "ledger"));
        counted.forgetNodes(); // as an operator may who knows better
        assertThat(count("node", "a", "ledger")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(2);
    }

    @Tag("slow")
    @Test
    void fromLedgerToFilterOperationsAreHeldBackForTheFilterHasNone() {
        assertThat(count("node", "a", "ledger")).isEqualTo("counted");
        assertThat(count("other", "a", "ledger")).isEqualTo("counted before: a");

        assertUnavailable(() -> count("node", "a", "filter"))
                .satisfies(e -> assertThat(e.retryAfter()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11)));
        assertUnavailable(() -> count("node", "a", "filter"));
        assertThat(count("node", "a", "ledger"))
                .as("back, the ledger has them all")
                .isEqualTo("counted before: a");
        assertUnavailable(() -> count("node", "a", "filter"));
        counted.forgetNodes();
        assertThat(count("node", "a", "filter")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void oneInLedgerModeDoesNotStartBesideOneInFilterModeAndSaysWhatToDo() {
        try (CountingApp filter = start("node")) {
            assertThatExceptionOfType(StartException.class)
                    .isThrownBy(() -> start("other", "fbf.mode=ledger"))
                    .satisfies(e -> {
                        FailureAnalysis analysis = FailureAnalyses.of(e);
                        assertThat(analysis.getDescription())
                                .contains("A process in filter mode applies them: host ")
                                .contains("process " + ProcessHandle.current().pid())
                                .contains(directory.resolve("node").toString())
                                .contains("if it was killed, not before 2");
                        assertThat(analysis.getAction()).contains("stop that process", "UPGRADING.md");
                    });

            assertThat(filter.counter.count("a")).isEqualTo("counted");
        }
    }

    private String count(String node, String key, String mode, String... properties) {
        String[] all = Stream.concat(Stream.of("fbf.mode=" + mode), Stream.of(properties))
                .toArray(String[]::new);
        try (CountingApp app = start(node, all)) {
            return app.counter.count(key);
        }
    }

    private void increment() {
        JdbcClient.create(dataSource)
                .sql("UPDATE counted SET value = value + 1")
                .update();
    }

    private long ledgerRows() {
        return JdbcClient.create(dataSource)
                .sql("SELECT count(*) FROM fbf_ledger")
                .query(Long.class)
                .single();
    }
}
