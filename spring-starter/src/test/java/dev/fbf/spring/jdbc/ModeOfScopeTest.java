package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Each scope has a mode; those of one application may differ, and ledger mode needs no directory. */
@ExtendWith(PostgresExtension.class)
class ModeOfScopeTest {

    @TempDir
    private Path directory;

    private CountedTable counted;
    private DataSource dataSource;

    @BeforeEach
    void count(DataSource postgres) {
        dataSource = postgres;
        FbfSchema.migrate(postgres);
        counted = CountedTable.makeIn(postgres);
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
            assertThat(app.status.openTransactions()).isEmpty();
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

    private CountingApp start(String node, String... properties) {
        return CountingApp.start(dataSource, directory.resolve(node), properties);
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
