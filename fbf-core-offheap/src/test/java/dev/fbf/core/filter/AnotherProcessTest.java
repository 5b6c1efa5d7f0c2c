package dev.fbf.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another process, with no JVM flag. That it loses no put when it is killed, loadtest/torture shows. */
class AnotherProcessTest {

    @TempDir
    private Path directory;

    @Test
    void keepsOthersOutOfItsDirectoryWhileItLives() throws Exception {
        Process process = start();
        try (BufferedReader output = process.inputReader(UTF_8)) {
            assertThat(output.readLine()).isNotNull();

            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> FilterDirectory.open(directory))
                    .withMessageContaining("The directory " + directory + " is in use by process " + process.pid());
        } finally {
            process.destroyForcibly().waitFor();
        }
        FilterDirectory.open(directory).close();
    }

    private Process start() throws IOException {
        return ChildJvm.start(Holder.class, directory);
    }

    /** Has the directory open until it is killed. */
    static final class Holder {

        private Holder() {}

        public static void main(String[] arguments) throws IOException {
            try (FilterDirectory directory = FilterDirectory.open(Path.of(arguments[0]))) {
                System.out.println(directory);
                while (System.in.read() >= 0) {
                    // ends with the process that started this one
                }
            }
        }
    }
}
