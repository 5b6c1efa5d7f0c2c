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
 * Permissions of a directory and its files: other users could read the filters' secrets, with which they find keys that
 * pass for applied ones, and could replace the files. File systems without POSIX permissions are left as they are.
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

    /** Creates a directory, and its parents, for this user alone. Does nothing if it exists. */
    static void create(Path directory) throws IOException {
        Files.createDirectories(directory, PrivateFiles.permissions(directory, "rwx------"));
    }

    /**
     * Takes the permissions of others away if this user owns the directory. Warns if its group may write to it by the
     * administrator's intention, which the set-group-ID bit shows, as with Kubernetes' {@code fsGroup}.
     *
     * @throws StorageException if others may write to it otherwise, or own it
     */
    static void protect(Path directory) throws IOException {
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return;
        }
        String user = System.getProperty("user.name", "");
        String owner = Files.getOwner(directory).getName();
        Mode before = Mode.of(directory);
        // to root any change is permitted; a directory with the sticky bit is shared on purpose, as /tmp is
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
                    "{}: the users of its group can replace fbf's files, and make operations count again or not at all. Let no"
                            + " other container have this group, or set fbf.directory to a directory below it that does"
                            + " not exist: fbf makes it private.",
                    why);
            return;
        }
        throw new StorageException(
                why + ": other users could replace fbf's files.",
                "Choose a directory below it that does not exist, which is then made private; or give this user the"
                        + " directory (chown), and take the permissions of others away (chmod 700).",
                StorageException.Setting.DIRECTORY,
                null);
    }

    /** Takes the permissions of others away from a file of an earlier version. A failure is harmless. */
    static void protectFile(Path file) {
        tighten(file);
    }

    /** Returns whether that was permitted, as it is to the owner. */
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

    /** The owner and the permissions of a directory, with the bits that Java has no names for. */
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
