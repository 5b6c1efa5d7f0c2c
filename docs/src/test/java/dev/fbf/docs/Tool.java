package dev.fbf.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A program of this machine. A test that needs one that is not installed is skipped, and says so. */
final class Tool {

    private Tool() {}

    /**
     * Runs a program to its end.
     *
     * @return what it has printed
     */
    static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, printed).isZero();
        return printed;
    }

    /** The path of a program; without it, the test is skipped. */
    static String find(String name) {
        String path = System.getenv("PATH") + File.pathSeparator + "/usr/sbin";
        List<String> found = Stream.of(path.split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .toList();
        if ("true".equals(System.getenv("FBF_PROXIES_REQUIRED"))) {
            assertThat(found).as("FBF_PROXIES_REQUIRED is set: %s", name).isNotEmpty();
        }
        assumeThat(found).as("%s is not installed here", name).isNotEmpty();
        return found.get(0);
    }
}
