package dev.fbf.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another process, with no JVM flag, that is killed in the middle. */
class KilledProcessTest {

    private static final FilterPlan PLAN = new FilterSizing(10_000, Duration.ofSeconds(50), 1e-9).plan();

    @TempDir
    private Path directory;

    @Test
    void leavesEveryPutThatItReported() throws Exception {
        Process process = start();
        long reported = 0;
        try (BufferedReader output = process.inputReader(UTF_8)) {
            while (reported < 20_000) {
                String line = output.readLine();
                assertThat(line).as("after %d puts", reported).isNotNull();
                reported = Long.parseLong(line);
            }
            process.destroyForcibly().waitFor();
        }

        try (FilterDirectory reopened = FilterDirectory.open(directory)) {
            ForgetfulBloomFilter filter = reopened.filter("killed", PLAN);
            for (long i = 1; i <= reported; i++) {
                assertThat(filter.mightContain(new OperationId(i, i)))
                        .as("put %d of %d", i, reported)
                        .isTrue();
            }
        }
    }

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
        return ChildJvm.start(Putter.class, directory);
    }

    /** Puts operation after operation and prints each number once its put has returned. */
    static final class Putter {

        private Putter() {}

        public static void main(String[] arguments) {
            try (FilterDirectory directory = FilterDirectory.open(Path.of(arguments[0]))) {
                ForgetfulBloomFilter filter = directory.filter("killed", PLAN);
                for (long i = 1; ; i++) {
                    filter.put(new OperationId(i, i));
                    System.out.println(i);
                }
            }
        }
    }
}
