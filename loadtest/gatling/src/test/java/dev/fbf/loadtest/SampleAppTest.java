package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleAppTest {

    @TempDir
    private Path directory;

    @Test
    void saysWhatToDoIfThereIsNoJar() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SampleApp.start(directory.resolve("app.jar"), directory, "jdbc:none", List.of()))
                .withMessageContaining("app.jar")
                .withMessageContaining("build it first");
    }

    @Test
    void showsTheLogOfAnAppThatDoesNotStart() throws Exception {
        Path jar = Files.writeString(directory.resolve("app.jar"), "not a jar");

        assertThatIllegalStateException()
                .isThrownBy(() -> SampleApp.start(jar, directory, "jdbc:none", List.of()))
                .withMessageContaining("ended with 1")
                .withMessageContaining("app.jar");
    }
}
