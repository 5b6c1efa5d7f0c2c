package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.DisposableBean;

/** What callers are answered when a guarded method is not called, if they did not come by HTTP. */
@ExtendWith(PostgresExtension.class)
class ResponsesTest {

    @TempDir
    private Path directory;

    private CountedTable counted;
    private CountingApp app;
    private Counter counter;

    @BeforeEach
    void start(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        app = CountingApp.start(dataSource, directory);
        counter = app.counter;
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @Test
    void aVoidMethodWithoutOnDuplicateReturnsAndAnyOtherThrows() throws Exception {
        counter.countSilently("a");
        counter.countSilently("a");
        assertThat(counter.countAnd("b", () -> {})).isEqualTo("counted");
        assertThatExceptionOfType(DuplicateOperationException.class).isThrownBy(() -> counter.countAnd("b", () -> {}));

        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void aNullOrBlankKeyIsRefused() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> counter.count(" "))
                .withMessage("scope=counter: The idempotency key, #key, is blank.");
        assertThat(counted.value()).isZero();
    }

    /** In UTF-8 it would be a question mark, and name another operation. */
    @Test
    void aKeyWithHalfOfASurrogatePairIsRefused() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> counter.count("\uD800"))
                .withMessage("scope=counter: The idempotency key, #key, has an unpaired surrogate.");
        assertThat(counted.value()).isZero();
    }

    @Test
    void withoutAKeyExpressionAndWithoutARequestTheCallerIsToldWhatToDo() {
        assertThatIllegalStateException()
                .isThrownBy(() -> counter.countByHeader())
                .withMessageContaining("Name the key with key = \"#…\", or");
        assertThat(counted.value()).isZero();
    }

    @Test
    void applicationsThatAreStoppingRefuse() throws Exception {
        ((DisposableBean) app.guards).destroy();

        assertThatExceptionOfType(OperationUnavailableException.class)
                .isThrownBy(() -> counter.count("a"))
                .withMessageContaining("the application is stopping");
        assertThat(counted.value()).isZero();
    }
}
