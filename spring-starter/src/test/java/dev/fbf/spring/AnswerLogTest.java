package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.Answer;
import dev.fbf.db.AnswerTable;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.FbfTables;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What somebody who reads the log is told of answers that cannot be written down. */
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
class AnswerLogTest {

    private static final Pattern WARNING =
            Pattern.compile("WARN .*What requests were answered cannot be written down now: .*no route to host");

    private FragileDataSource fragile;
    private AnswerLog answers;

    @BeforeEach
    void makeTables(DataSource dataSource) {
        FbfSchema.migrate(dataSource);
        fragile = new FragileDataSource(dataSource);
        answers = new AnswerLog(fragile, new AnswerTable(FbfTables.onSearchPath()));
    }

    @AfterEach
    void close() {
        answers.close();
    }

    @Test
    void aDatabaseThatIsDownIsWarnedOfOnceAndNotForEveryBatch(CapturedOutput output) {
        fragile.cutOff();
        writeBatches(3);

        assertThat(WARNING.matcher(output).results()).hasSize(1);
    }

    @Test
    void oneThatFailsAnewAfterItHadRecoveredIsWarnedOfAgain(CapturedOutput output) {
        fragile.cutOff();
        writeBatches(2);
        fragile.reconnect();
        writeBatches(2);
        assertThat(WARNING.matcher(output).results()).hasSize(1);

        fragile.cutOff();
        writeBatches(2);

        assertThat(WARNING.matcher(output).results()).hasSize(2);
    }

    private void writeBatches(int count) {
        for (int batch = 0; batch < count; batch++) {
            answers.write(List.of(new Answer(UUID.randomUUID(), 204, null, null, new byte[0])));
        }
    }
}
