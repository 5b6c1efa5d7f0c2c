package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.torture.system.FailOver.Fault;
import dev.fbf.loadtest.torture.system.FailOver.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Under load, PostgreSQL is killed or frozen, its synchronous standby is promoted, and later the old primary is back for a while. A
 * primary that is killed in ledger mode is in the short run of {@code torture-fail-over}, which {@code .ci/run} has; these are part of the nightly one.
 */
@Timeout(300)
class FailOverTest {

    @TempDir
    Path directory;

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({
        "filter, KILLED",
        "filter, FROZEN",
        "filter, KILLED_AND_BACK_AT_ONCE",
        "ledger, FROZEN",
        "ledger, KILLED_AND_BACK_AT_ONCE"
    })
    void nothingIsLostNorDoubledWhenTheStandbyTakesOver(String mode, Fault fault) throws Exception {
        Result result = new FailOver(Path.of("..", "target", "postgres"), directory, mode, fault, 200, 200, 1).run();

        System.out.printf(
                "Failover, %s mode, primary %s: promoted in %d ms, and %d ms later an operation was applied%n",
                mode, fault, result.promoted().toMillis(), result.atWork().toMillis());
        assertThat(result.verdict().passed()).as(result.verdict().explanation()).isTrue();
        assertThat(result.verdict().total().acknowledged())
                .isEqualTo(result.verdict().total().operations());
        assertThat(result.reachedOld()).isTrue();
    }
}
