package dev.fbf.sample.postgres;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The folder that the sample app keeps its data in, locked for as long as it is open: it serves one process at a time. */
final class DataDirectory implements AutoCloseable {

    private final Path path;
    private final FileChannel lockFile;

    private DataDirectory(Path path, FileChannel lockFile) {
        this.path = path;
        this.lockFile = lockFile;
    }

    /**
     * Creates the folder if need be, and locks it. The lock ends with the process, however that ends.
     *
     * @throws DataDirectoryInUseException if another sample app has it open
     */
    static DataDirectory open(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        Path path = folder.toRealPath();
        FileChannel lockFile =
                FileChannel.open(path.resolve("sample.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (tryLock(lockFile) == null) {
            lockFile.close();
            throw new DataDirectoryInUseException(path);
        }
        return new DataDirectory(path, lockFile);
    }

    private static @Nullable FileLock tryLock(FileChannel lockFile) throws IOException {
        try {
            return lockFile.tryLock();
        } catch (OverlappingFileLockException heldByThisProcess) {
            return null;
        }
    }

    Path postgres() {
        return path.resolve("postgres");
    }

    /** There is one once the server has started for the first time. */
    Path postgresFinished() {
        return path.resolve("postgres.finished");
    }

    /** The password of the database's superuser, for this user alone. Made at the first start. */
    String postgresPassword() throws IOException {
        Path file = path.resolve("postgres.password");
        if (Files.notExists(file) || Files.size(file) == 0) {
            Files.writeString(file, ""); // nobody else may open it before it has something to read
            File readable = file.toFile();
            if (!readable.setReadable(false, false) || !readable.setReadable(true, true)) {
                throw new IOException(file + " cannot be made private");
            }
            Files.writeString(file, UUID.randomUUID().toString());
        }
        return Files.readString(file);
    }

    Path postgresLog() {
        return path.resolve("postgres.log");
    }

    @Override
    public void close() throws IOException {
        lockFile.close();
    }
}
