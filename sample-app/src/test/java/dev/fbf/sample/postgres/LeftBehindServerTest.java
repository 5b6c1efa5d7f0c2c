package dev.fbf.sample.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftBehindServerTest {

    @TempDir
    Path folder;

    @Test
    void isStoppedInItsOwnDataDirectoryOnly() throws IOException {
        Path own = Files.createDirectory(folder.resolve("own")).toRealPath();
        Path other = Files.createDirectory(folder.resolve("other")).toRealPath();
        ProcessHandle server = startServer(own);

        Files.copy(pidFile(own), pidFile(other));
        LeftBehindServer.stopAnyIn(other);
        assertThat(server.info().command()).isPresent();

        LeftBehindServer.stopAnyIn(own);
        assertThat(server.info().command()).isEmpty();
        assertThat(pidFile(own)).doesNotExist();
    }

    @Test
    void isNotTakenForAProcessThatGotItsPid() throws IOException {
        Files.writeString(pidFile(folder), ProcessHandle.current().pid() + "\n" + folder + "\n");

        LeftBehindServer.stopAnyIn(folder);

        assertThat(pidFile(folder)).doesNotExist();
    }

    @Test
    void isNotLookedForWhereNoneEverWas() throws IOException {
        LeftBehindServer.stopAnyIn(folder.resolve("missing"));

        assertThat(folder).isEmptyDirectory();
    }

    @SuppressWarnings("resource") // nobody closes it: it is left behind
    private static ProcessHandle startServer(Path dataDirectory) throws IOException {
        EmbeddedPostgres.builder()
                .setDataDirectory(dataDirectory)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .start();
        long pid = Long.parseLong(Files.readAllLines(pidFile(dataDirectory)).get(0));
        return ProcessHandle.of(pid).orElseThrow();
    }

    private static Path pidFile(Path dataDirectory) {
        return dataDirectory.resolve("postmaster.pid");
    }
}
