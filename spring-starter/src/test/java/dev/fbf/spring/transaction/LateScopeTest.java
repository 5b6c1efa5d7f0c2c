package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.ProcessesTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** An application that declares its first operations after the start: they join a transaction like any others. */
class LateScopeTest extends ProcessesTest {

    @Test
    void theFirstOperationOfAScopeThatAProgramBuildsLateJoinsATransaction() {
        try (CountingApp app = start()) {
            IdempotentScope scope = app.bean(IdempotentOperations.class).scope("late");

            for (int i = 0; i < 2; i++) {
                app.transaction.executeWithoutResult(status -> scope.execute(
                        IdempotencyKey.of("a key"),
                        () -> JdbcClient.create(dataSource)
                                .sql("UPDATE counted SET value = value + 1")
                                .update(),
                        () -> 0));
            }
        }

        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aScopeThatCouldNotBeOpenedIsOpenedByALaterCall() throws IOException {
        try (CountingApp app = start()) {
            app.bean(IdempotentOperations.class).scope("first");
            Path file = directory.resolve("late~1.fbf");
            Files.createDirectory(file);

            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> app.bean(IdempotentOperations.class).scope("late"))
                        .withMessageContaining(file.toString());
            }
            Files.delete(file);
            IdempotentScope late = app.bean(IdempotentOperations.class).scope("late");

            assertThat(late.execute(IdempotencyKey.of("a key"), () -> {})).isTrue();
            assertThat(late.execute(IdempotencyKey.of("a key"), () -> {})).isFalse();
        }
    }

    private CountingApp start() {
        return CountingApp.start(directory, new String[0], context -> {
            context.registerBean("dataSource", DataSource.class, () -> dataSource);
            context.registerBean(
                    "transactions", PlatformTransactionManager.class, () -> new JdbcTransactionManager(dataSource));
            context.registerBean(Counter.class, () -> new Counter(dataSource), bean -> bean.setLazyInit(true));
        });
    }
}
