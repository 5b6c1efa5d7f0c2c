package dev.fbf.spring.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Tag("slow")
@Timeout(120)
@ExtendWith({TwoNodes.class, OutputCaptureExtension.class})
class CassandraFailedStartTest {

    private static void start(String setting) throws Exception {
        TwoNodes.start("spring.main.web-application-type=none", setting).close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    spring.cassandra.contact-points=127.0.0.1:1      | No node of Cassandra can be reached at 127.0.0.1:1
                    spring.cassandra.keyspace-name=nowhere           | Cassandra has no keyspace nowhere.
                    spring.cassandra.keyspace-name=                  | The session has no keyspace.
                    spring.cassandra.local-datacenter=               | does not know which data center of Cassandra is the local one
                    """)
    void aStartWithoutASessionSaysWhatToDo(String setting, String expected, CapturedOutput output) {
        assertThatException().isThrownBy(() -> start(setting));

        assertThat(output.getOut())
                .contains("APPLICATION FAILED TO START")
                .contains(expected)
                .contains("spring.cassandra.");
    }

    @Test
    void aStartWithAnotherNumberOfLanesFailsAndSaysWhatToDo() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> start("fbf.cassandra.lanes=2"))
                .withMessageContaining("1 lanes")
                .withMessageContaining("fbf.cassandra.lanes");
    }
}
