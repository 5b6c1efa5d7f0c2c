package dev.fbf.loadtest.harness.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.process.Waiting;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SynchronousPairTest {

    @Test
    void whatThePrimaryCommitsTheStandbyHas(@TempDir Path directory) throws Exception {
        try (SynchronousPair pair = SynchronousPair.start(Path.of("..", "target", "postgres"), directory)) {
            pair.primary().execute("CREATE TABLE kept (id int); INSERT INTO kept VALUES (1)");

            assertThat(pair.isSynchronous()).isTrue();
            assertThat(Waiting.until(() -> isOn(pair.standby()), Duration.ofSeconds(10)))
                    .isTrue();
            assertThat(pair.standby().query("SELECT pg_is_in_recovery()", row -> row.getBoolean(1)))
                    .containsExactly(true);
        }
    }

    private static boolean isOn(PostgresServer standby) {
        try {
            return standby.number("SELECT count(*) FROM kept") == 1;
        } catch (SQLException noSuchTableYet) {
            return false;
        }
    }
}
