package dev.fbf.loadtest.torture.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A disk in a file: it can fail and come back as a cut-off volume does, with what had reached it by then. Not everybody may mount one. */
final class LoopDisk implements AutoCloseable {

    private static final long BYTES = 512 << 20;

    private final Path image;
    private final Path directory;

    private LoopDisk(Path image, Path directory) {
        this.image = image;
        this.directory = directory;
    }

    static LoopDisk mount(Path image, Path directory) throws IOException {
        Files.createDirectories(directory);
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(BYTES);
        }
        assumeTrue(run("mkfs.ext4", "-q", image.toString()) == 0, "there is no mkfs.ext4");
        LoopDisk disk = new LoopDisk(image, directory);
        assumeTrue(disk.mount(), "no disk can be mounted here");
        return disk;
    }

    private boolean mount() throws IOException {
        return run("mount", "-o", "loop,errors=remount-ro", image.toString(), directory.toString()) == 0;
    }

    /** Nothing reaches it any more; who has files mapped does not see that. */
    void fail() throws IOException {
        String device = Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(mount -> mount[1].equals(directory.toString()))
                .map(mount -> mount[0].substring("/dev/".length()))
                .findFirst()
                .orElseThrow();
        Files.writeString(Path.of("/sys/fs/ext4", device, "trigger_fs_error"), "1");
    }

    /** Writes what somebody has copied to it. */
    void sync() {
        run("sync", "-f", directory.toString());
    }

    /** Leaves no room on it, until it is freed. */
    void fill() throws IOException {
        byte[] block = new byte[4096];
        try (OutputStream out =
                Files.newOutputStream(ballast(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            if (!String.valueOf(e.getMessage()).contains("No space left")) {
                throw e;
            }
        }
        sync();
    }

    void free() throws IOException {
        Files.delete(ballast());
        sync();
    }

    private Path ballast() {
        return directory.resolve("ballast");
    }

    /** Brings it back, without what was in memory alone. Nobody may use it. */
    void mountAgain() throws IOException {
        if (run("umount", directory.toString()) != 0) {
            throw new IOException(directory + " is in use");
        }
        run("e2fsck", "-y", image.toString());
        if (!mount()) {
            throw new IOException(directory + " cannot be mounted again");
        }
    }

    @Override
    public void close() throws IOException {
        run("umount", "-l", directory.toString());
        Files.deleteIfExists(image);
    }

    private static int run(String... command) {
        try {
            Process process = new ProcessBuilder(List.of(command))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(1, TimeUnit.MINUTES) ? process.exitValue() : -1;
        } catch (IOException e) {
            return -1; // there is no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }
}
