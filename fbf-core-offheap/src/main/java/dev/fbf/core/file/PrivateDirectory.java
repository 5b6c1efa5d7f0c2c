package dev.fbf.core.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Permissions of a directory and its files: other users could replace the files, or read the filters' secrets and construct keys that pass
 * for applied ones. File systems without POSIX permissions are left unchanged.
 */
final class PrivateDirectory {

    private static final Logger log = LoggerFactory.getLogger(PrivateDirectory.class);

    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int WRITABLE_BY_GROUP = 0020;
    private static final int SET_GID = 02000;
    private static final int STICKY = 01000;
    private static final int ROOT = 0;

    private static final Set<PosixFilePermission> OF_OWNER = PosixFilePermissions.fromString("rwx------");

    private PrivateDirectory() {}

    /** Creates a directory, and its parents, for exclusive use by this user. Has no effect if it exists. */
    static void create(Path directory) throws IOException {
        Files.createDirectories(directory, PrivateFiles.permissions(directory, "rwx------"));
    }

    /**
     * Removes other users' permissions if this user owns the directory. Only warns if others have write access that the administrator
     * intended, as shown by the set-group-ID bit: Kubernetes sets it for {@code fsGroup}, on an {@code emptyDir} that all may write to.
     *
     * @throws StorageException if other users have write access for another reason, or a user other than root owns it
     */
    static void protect(Path directory) throws IOException {
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return;
        }
        String user = System.getProperty("user.name", "");
        String owner = Files.getOwner(directory).getName();
        Mode before = Mode.of(directory);
        // not as root, who may change everything, and not with the sticky bit: /tmp is shared on purpose
        boolean mayTighten = !before.has(STICKY) && (!user.equals("root") || before.uid == ROOT);
        boolean owned = (mayTighten && tighten(directory)) || owner.equals(user);
        Mode mode = Mode.of(directory);
        boolean ownedByAnother = !owned && mode.uid != ROOT;
        if (!ownedByAnother && !mode.has(WRITABLE_BY_OTHERS)) {
            return;
        }
        String why = "The directory " + directory + " belongs to " + owner + " and has the permissions "
                + Integer.toOctalString(mode.bits & 07777);
        if (mode.has(SET_GID) && mode.has(WRITABLE_BY_GROUP)) {
            log.warn(
                    "{}: other users can replace fbf's files, and operations would be repeated or lost. Do not mount"
                            + " it in another container, or set fbf.directory to a new directory below it, which fbf makes"
                            + " private.",
                    why);
            return;
        }
        throw new StorageException(
                why + ": other users could replace fbf's files.",
                "Choose a new directory below it, which fbf makes private; or make this user its owner (chown), and"
                        + " remove the permissions of others (chmod 700).",
                StorageException.Setting.DIRECTORY,
                null);
    }

    /** Removes other users' permissions from a file of an earlier version. A failure is harmless. */
    static void protectFile(Path file) {
        tighten(file);
    }

    /** Removes other users' permissions; returns false if the file system does not support or permit that. */
    private static boolean tighten(Path path) {
        PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class, NOFOLLOW_LINKS);
        if (view == null) {
            return false;
        }
        try {
            Set<PosixFilePermission> permissions = EnumSet.copyOf(OF_OWNER);
            permissions.retainAll(view.readAttributes().permissions());
            view.setPermissions(permissions);
            return true;
        } catch (IOException e) {
            log.debug("The permissions of {} cannot be changed.", path, e);
            return false;
        }
    }

    /** The owner and the permissions of a directory, including bits that Java has no names for. */
    private record Mode(int uid, int bits) {

        static Mode of(Path directory) throws IOException {
            Map<String, Object> attributes = Files.readAttributes(directory, "unix:uid,mode");
            return new Mode(number(attributes.get("uid")), number(attributes.get("mode")));
        }

        private static int number(@Nullable Object attribute) {
            return ((Number) Objects.requireNonNull(attribute)).intValue();
        }

        boolean has(int wanted) {
            return (bits & wanted) != 0;
        }
    }
}
