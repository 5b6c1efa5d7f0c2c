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
 * Under load, PostgreSQL is killed or frozen, its synchronous standby is promoted, and later the old primary is back for a while.
 * {@code -Dfbf.fail-overs=20} repeats each case with other seeds.
 */
@Timeout(3_600)
class FailOverTest {

    private static final int FAIL_OVERS = Integer.getInteger("fbf.fail-overs", 1);

    @TempDir
    Path directory;

    @Tag("slow")
    @ParameterizedTest
    @CsvSource("ledger, KILLED")
    void nothingIsLostNorDoubledWhenTheStandbyTakesOver(String mode, Fault fault) throws Exception {
        failOver(mode, fault);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({
        "filter, KILLED",
        "filter, FROZEN",
        "filter, KILLED_AND_BACK_AT_ONCE",
        "ledger, FROZEN",
        "ledger, KILLED_AND_BACK_AT_ONCE"
    })
    void norInTheOtherCases(String mode, Fault fault) throws Exception {
        failOver(mode, fault);
    }

    private void failOver(String mode, Fault fault) throws Exception {
        for (int seed = 1; seed <= FAIL_OVERS; seed++) {
            Path emptied = directory.resolve(mode + "-" + seed);
            Result result =
                    new FailOver(Path.of("..", "target", "postgres"), emptied, mode, fault, 200, 200, seed).run();

            System.out.printf(
                    "Failover, %s mode, primary %s: promoted in %d ms, and %d ms later an operation was applied%n",
                    mode, fault, result.promoted().toMillis(), result.atWork().toMillis());
            assertThat(result.verdict().passed())
                    .as(result.verdict().explanation())
                    .isTrue();
            assertThat(result.verdict().total().acknowledged())
                    .isEqualTo(result.verdict().total().operations());
            assertThat(result.reachedOld()).isTrue();
        }
    }
}
