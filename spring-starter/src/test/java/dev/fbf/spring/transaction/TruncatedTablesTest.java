package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.OperationUnavailableException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of an application whose cleanup truncates all tables, fbf's own too: their contexts are open all the time. */
@Tag("slow")
@GuardedApp(properties = ConstantsOfTheTest.UNREGISTERED)
class TruncatedTablesTest extends CountingAppTest {

    @BeforeEach
    void truncateAfterSomeOperations() {
        for (int i = 0; i < 20; i++) {
            counter.count("before " + i);
        }
        List<String> tables = jdbc.sql("SELECT string_agg(tablename, ', ') FROM pg_tables WHERE tablename LIKE 'fbf%'")
                .query(String.class)
                .list();
        jdbc.sql("TRUNCATE " + tables.get(0)).update();
        jdbc.sql("UPDATE counted SET value = 0").update();
    }

    @Test
    void operationsAreNewAndTheirRetriesApplied() {
        for (int i = 0; i < 20; i++) {
            String key = "after " + i;
            await().ignoreExceptionsInstanceOf(OperationUnavailableException.class)
                    .until(() -> counter.count(key).equals("counted"));
            assertThat(counter.count(key)).isEqualTo("counted before: " + key);
        }
        assertThat(counted.value()).isEqualTo(20);
    }
}
