package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.process.ChildProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A small disk in memory, mounted on a directory, which can be full for a while. Thread-safe. */
final class Disk implements AutoCloseable {

    private static final String NAME = "fbf-torture";

    private static final Path MOUNTS = Path.of("/proc/self/mounts");
    private static final int CHUNK = 1 << 16;
    private static final int MILLIS_TO_SETTLE = 100;

    private final Path directory;
    private final @Nullable String whyNone;
    private final Thread hook;

    /** Held while it is full. */
    private final ReentrantLock full = new ReentrantLock();

    private Disk(Path directory, @Nullable String whyNone) {
        this.directory = directory;
        this.whyNone = whyNone;
        hook = new Thread(() -> unmount(directory), "unmount");
        if (whyNone == null) {
            Runtime.getRuntime().addShutdownHook(hook);
        }
    }

    /** Mounts a disk on a directory, which is made if there is none; not everybody may, and not everywhere. */
    static Disk mount(Path directory, int megabytes) throws IOException {
        Path point = Files.createDirectories(directory).toRealPath();
        return new Disk(
                point, run("mount", "-t", "tmpfs", "-o", "mode=700,size=" + megabytes + "m", NAME, point.toString()));
    }

    /** Unmounts what an earlier run may have left in a directory. */
    static void unmountAnyIn(Path directory) throws IOException {
        if (Files.exists(MOUNTS)) {
            for (String mount : Files.readAllLines(MOUNTS)) {
                Path point = Path.of(mount.split(" ", -1)[1].replace("\\040", " "));
                if (mount.startsWith(NAME + " ")
                        && point.startsWith(directory.toAbsolutePath().normalize())) {
                    unmount(point);
                }
            }
        }
    }

    /** Why it is no disk but the directory alone, which cannot be filled; null if it is one. */
    @Nullable String whyNone() {
        return whyNone;
    }

    /** Leaves no room on it, until the same thread frees it. Another thread's fill waits for that. */
    void fill() throws IOException, InterruptedException {
        full.lock();
        fillUp();
        // what was being written then has failed now, and left room again
        TimeUnit.MILLISECONDS.sleep(MILLIS_TO_SETTLE);
        fillUp();
    }

    void free() throws IOException {
        try {
            Files.deleteIfExists(ballast());
        } finally {
            full.unlock();
        }
    }

    private void fillUp() throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
        try (FileChannel channel = FileChannel.open(ballast(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (Files.getFileStore(directory).getUsableSpace() > 0) {
                channel.write(chunk.clear());
            }
        } catch (IOException e) {
            if (Files.getFileStore(directory).getUsableSpace() > 0) {
                throw e;
            }
        }
    }

    private Path ballast() {
        return directory.resolve("ballast");
    }

    @Override
    public void close() {
        if (whyNone == null) {
            unmount(directory);
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }

    /** At once, though this JVM may still have files of it mapped: they go when they are garbage. */
    private static void unmount(Path point) {
        String failure = run("umount", "-l", point.toString());
        if (failure != null) {
            System.err.println(point + " stays mounted: " + failure);
        }
    }

    /** Runs a program; returns what went wrong, or null. */
    private static @Nullable String run(String... line) {
        try {
            ChildProcess.output(line);
            return null;
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e.toString();
        }
    }
}
