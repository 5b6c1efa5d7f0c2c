package dev.fbf.core.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that only the current user may read and write: other users could replace them, or read the filters' secrets and construct keys that
 * pass for applied ones. Symbolic links are refused: the creator of a link would choose the file that fbf overwrites. File systems without
 * POSIX permissions are left unchanged.
 */
final class PrivateFiles {

    private static final Logger log = LoggerFactory.getLogger(PrivateFiles.class);

    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int WRITABLE_BY_GROUP = 0020;
    private static final int SET_GID = 02000;
    private static final int STICKY = 01000;
    private static final int ROOT = 0;

    private static final String OF_OWNER = "rwx------";

    private PrivateFiles() {}

    /** Creates a directory, and its parents, for exclusive use by this user. Has no effect if it exists. */
    static void createDirectory(Path directory) throws IOException {
        Files.createDirectories(directory, permissions(directory, OF_OWNER));
    }

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
            throw e;
        }
    }

    private static FileAttribute<?>[] permissions(Path path, String permissions) {
        return isUnix(path)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    static boolean isUnix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    static void requireNoLink(Path file) {
        if (Files.isSymbolicLink(file)) {
            throw new StorageException(
                    "The file " + file + " is a symbolic link, and fbf does not follow links inside its directory.",
                    "Delete the link, and find out who created it; to keep the files elsewhere, set fbf.directory.");
        }
    }

    /**
     * Removes other users' permissions if this user owns the directory. Only warns if others have write access that the administrator
     * intended, as shown by the set-group-ID bit: Kubernetes sets it for {@code fsGroup}, on an {@code emptyDir} that all may write to.
     *
     * @throws StorageException if other users have write access for another reason, or a user other than root owns it
     */
    static void protect(Path directory) throws IOException {
        if (!isUnix(directory)) {
            return;
        }
        String user = System.getProperty("user.name", "");
        String owner = Files.getOwner(directory).getName();
        int uid = number(directory, "uid");
        // not as root, who may change everything, and not with the sticky bit: /tmp is shared on purpose
        boolean mayTighten = (number(directory, "mode") & STICKY) == 0 && (!user.equals("root") || uid == ROOT);
        boolean owned = (mayTighten && tighten(directory)) || owner.equals(user);
        int mode = number(directory, "mode");
        boolean ownedByAnother = !owned && uid != ROOT;
        if (!ownedByAnother && (mode & WRITABLE_BY_OTHERS) == 0) {
            return;
        }
        String why = "The directory " + directory + " belongs to " + owner + " and has the permissions "
                + Integer.toOctalString(mode & 07777);
        if ((mode & SET_GID) != 0 && (mode & WRITABLE_BY_GROUP) != 0) {
            log.warn(
                    "{}: other users can replace fbf's files, and operations would be repeated or lost. Do not mount"
                            + " it in another container, or set fbf.directory to a new directory below it, which fbf makes"
                            + " private.",
                    why);
            return;
        }
        throw new StorageException(
                why + ": other users could replace fbf's files.",
                "Choose a new directory below it (fbf.directory), which fbf makes private; or make this user its owner"
                        + " (chown), and remove the permissions of others (chmod 700).");
    }

    /** Removes other users' permissions; returns false if that is not permitted. */
    private static boolean tighten(Path directory) {
        try {
            Set<PosixFilePermission> permissions = EnumSet.copyOf(PosixFilePermissions.fromString(OF_OWNER));
            permissions.retainAll(Files.getPosixFilePermissions(directory));
            Files.setPosixFilePermissions(directory, permissions);
            return true;
        } catch (IOException e) {
            log.debug("The permissions of {} cannot be changed.", directory, e);
            return false;
        }
    }

    /** Reads an attribute that Java has no name for. */
    private static int number(Path directory, String attribute) throws IOException {
        return ((Number) Files.getAttribute(directory, "unix:" + attribute)).intValue();
    }
}
