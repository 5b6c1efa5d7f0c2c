package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.operation.Scopes;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Methods that do not require a key, called with one and without. */
@ExtendWith(PostgresExtension.class)
class KeylessCallsTest {

    private static CountingApp app;
    private static OptionalKeys keys;

    private CountedTable counted;
    private long keylessBefore;

    @BeforeAll
    static void start(DataSource dataSource, @TempDir Path directory) {
        app = CountingApp.start(directory, new String[0], context -> {
            CountingApp.addTo(context, dataSource);
            CallerOfTheTest.addTo(context);
            context.registerBean(OptionalKeys.class, () -> new OptionalKeys(JdbcClient.create(dataSource)));
        });
        keys = app.bean(OptionalKeys.class);
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        keylessBefore = app.bean(Scopes.class).of("optional").keylessCalls();
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void aCallWithoutAKeyIsAppliedAsOftenAsItComesAndCounted() {
        keys.count(null, false);
        keys.count(null, false);

        assertThat(counted.value()).isEqualTo(2);
        assertThat(keyless()).isEqualTo(2);
    }

    @Test
    void aCallWithAKeyIsGuarded() {
        keys.count("a", false);
        keys.count("a", false);

        assertThat(counted.value()).isEqualTo(1);
        assertThat(keyless()).isZero();
    }

    @Test
    void aBlankKeyIsRefusedAllTheSame() {
        assertThatExceptionOfType(IdempotencyKeyException.class).isThrownBy(() -> keys.count(" ", false));
        assertThat(counted.value()).isZero();
    }

    @Test
    void anUnguardedMethodKeepsItsTransaction() {
        assertThatIllegalStateException().isThrownBy(() -> keys.count(null, true));

        assertThat(counted.value()).isZero();
    }

    @Test
    void anUnguardedMethodJoinsItsCallersTransaction() {
        app.transaction.executeWithoutResult(transaction -> {
            keys.count(null, false);
            transaction.setRollbackOnly();
        });

        assertThat(counted.value()).isZero();
    }

    private long keyless() {
        return app.bean(Scopes.class).of("optional").keylessCalls() - keylessBefore;
    }

    static class OptionalKeys {

        private final JdbcClient jdbc;

        OptionalKeys(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @IdempotentIncrement(scope = "optional", key = "#key", caller = CallerOfTheTest.EXPRESSION, keyRequired = false)
        void count(@Nullable String key, boolean fail) {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            if (fail) {
                throw new IllegalStateException("mine");
            }
        }
    }
}
