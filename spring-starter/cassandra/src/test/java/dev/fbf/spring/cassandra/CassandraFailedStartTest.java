package dev.fbf.spring.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Tag("slow")
@Timeout(120)
@ExtendWith({TwoNodes.class, OutputCaptureExtension.class})
class CassandraFailedStartTest {

    private static void start(String setting) throws Exception {
        TwoNodes.start("spring.main.web-application-type=none", setting).close();
    }

    @Test
    void aStartWithoutAKeyspaceSaysWhatToDo(CapturedOutput output) {
        assertThatException().isThrownBy(() -> start("spring.cassandra.keyspace-name="));

        assertThat(output.getOut())
                .contains("APPLICATION FAILED TO START")
                .contains("The session has no keyspace.")
                .contains("spring.cassandra.keyspace-name");
    }

    @Test
    void aStartWithAnotherNumberOfLanesFailsAndSaysWhatToDo() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> start("fbf.cassandra.lanes=2"))
                .withMessageContaining("1 lanes")
                .withMessageContaining("fbf.cassandra.lanes");
    }
}
