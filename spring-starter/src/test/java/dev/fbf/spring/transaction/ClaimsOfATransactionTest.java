package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A transaction of many operations leaves room for those of others. */
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
class ClaimsOfATransactionTest {

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    private CountedTable counted;
    private Counter counter;

    @SuppressWarnings("UnusedVariable") // the application has it
    ClaimsOfATransactionTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource, @TempDir Path directory) {
        app = CountingApp.startForAll(dataSource, directory, "fbf.mode=" + mode, "fbf.max-claims=8");
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        counter = app.counter;
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @Test
    void oneTooManyIsRefusedAndTheOthersAreApplied() {
        app.transaction.executeWithoutResult(status -> {
            counter.count("first");
            counter.count("second");
            assertRefused("third");
        });

        assertThat(counted.value()).isEqualTo(2);
        assertThat(counter.count("first")).isEqualTo("counted before: first");
        assertThat(counter.count("second")).isEqualTo("counted before: second");
        assertThat(counter.count("third")).isEqualTo("counted");
    }

    @Test
    void severalTransactionsLeaveRoomForOthers() {
        app.transaction.executeWithoutResult(status -> {
            counter.pass("first");
            counter.pass("second");
            for (int i = 0; i < 10; i++) {
                assertRefused("too many " + i);
            }
            CompletableFuture.runAsync(() -> app.transaction.executeWithoutResult(another -> {
                        counter.pass("another's first");
                        counter.pass("another's second");
                    }))
                    .join();
        });
    }

    @Test
    void aTransactionOfItsOwnHasItsOwnBound() {
        app.transaction.executeWithoutResult(status -> {
            counter.pass("first");
            counter.pass("second");
            assertThat(counter.countInNewTransaction("third")).isEqualTo("counted");
        });
    }

    @Test
    void anUndoneOperationIsHeldAllTheSame() {
        app.transaction.executeWithoutResult(status -> {
            for (int i = 0; i < 2; i++) {
                String key = "undone " + i;
                assertThatThrownBy(() -> counter.countNestedAnd(key, () -> {
                            throw new IllegalArgumentException("mine");
                        }))
                        .hasMessage("mine");
            }
            assertRefused("third");
        });
    }

    private void assertRefused(String key) {
        assertThatIllegalStateException()
                .isThrownBy(() -> counter.count(key))
                .withMessageContainingAll("fbf.max-claims=8", "2 operations", "several transactions", "increment(Map)");
    }
}
