package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** An application that declares its first operations after the start: they join a transaction like any others. */
@ExtendWith(PostgresExtension.class)
class LateScopeTest {

    private CountedTable counted;
    private JdbcClient jdbc;

    @TempDir
    private Path directory;

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(dataSource);
    }

    @Test
    void theFirstOperationOfAScopeThatAProgramBuildsLateJoinsATransaction(DataSource dataSource) {
        try (CountingApp app = start(dataSource)) {
            IdempotentScope scope = app.bean(IdempotentOperations.class).scope("late");

            for (int i = 0; i < 2; i++) {
                app.transaction.executeWithoutResult(status -> scope.execute(
                        IdempotencyKey.of("a key"),
                        () -> jdbc.sql("UPDATE counted SET value = value + 1").update(),
                        () -> 0));
            }
        }

        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void theFirstCallOfALazilyCreatedBeanJoinsATransaction(DataSource dataSource) {
        try (CountingApp app = start(dataSource)) {
            for (int i = 0; i < 2; i++) {
                app.transaction.executeWithoutResult(status -> app.counter.count("a key"));
            }
        }

        assertThat(counted.value()).isEqualTo(1);
    }

    private CountingApp start(DataSource dataSource) {
        return CountingApp.start(directory, new String[0], context -> {
            context.registerBean("dataSource", DataSource.class, () -> dataSource);
            context.registerBean(
                    "transactions", PlatformTransactionManager.class, () -> new JdbcTransactionManager(dataSource));
            context.registerBean(Counter.class, () -> new Counter(dataSource), bean -> bean.setLazyInit(true));
        });
    }
}
