package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfSchema;
import dev.fbf.db.FbfTables;
import dev.fbf.db.Response;
import dev.fbf.db.ResponseTable;
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
class ResponseLogTest {

    private static final Pattern WARNING =
            Pattern.compile("WARN .*Responses cannot be recorded now: .*no route to host");

    private FragileDataSource fragile;
    private ResponseLog responses;

    @BeforeEach
    void makeTables(DataSource dataSource) {
        FbfSchema.migrate(dataSource);
        fragile = new FragileDataSource(dataSource);
        responses = new ResponseLog(fragile, new ResponseTable(FbfTables.onSearchPath()));
    }

    @AfterEach
    void close() {
        responses.close();
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
            responses.write(List.of(new Response(UUID.randomUUID(), 204, null, null, new byte[0])));
        }
    }
}
