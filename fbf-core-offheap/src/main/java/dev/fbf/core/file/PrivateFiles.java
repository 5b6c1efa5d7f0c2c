package dev.fbf.core.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;

/**
 * Files that only the current user may read and write, if the file system supports permissions. Symbolic links are refused: the creator of
 * a link would choose the file that fbf overwrites.
 */
final class PrivateFiles {

    private PrivateFiles() {}

    /**
     * Opens a file. A new file has the permissions {@code rw-------}.
     *
     * @throws StorageException if the path is a symbolic link
     * @throws IOException if the file cannot be opened
     */
    static FileChannel open(Path file, OpenOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(Set.of(options));
        all.add(NOFOLLOW_LINKS);
        try {
            return FileChannel.open(file, all, permissions(file, "rw-------"));
        } catch (IOException e) {
            requireNoLink(file); // more specific than "too many levels of symbolic links"
            if (e instanceof FileAlreadyExistsException && Files.isDirectory(file)) {
                throw new FileSystemException(file.toString(), null, "Is a directory");
            }
            throw e;
        }
    }

    /** {@return the attributes of a new file or directory; none if the file system does not support permissions} */
    static FileAttribute<?>[] permissions(Path path, String permissions) {
        return isPosix(path)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Throws a {@link StorageException} if the path is a symbolic link. */
    static void requireNoLink(Path file) {
        if (Files.isSymbolicLink(file)) {
            throw new StorageException(
                    "The file " + file + " is a symbolic link, and fbf does not follow links inside its directory.",
                    "Delete the link, and find out who created it; to keep the files elsewhere, choose that directory.",
                    StorageException.Setting.DIRECTORY,
                    null);
        }
    }
}
