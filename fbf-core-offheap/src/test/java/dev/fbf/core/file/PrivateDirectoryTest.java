package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.core.StorageException;
import dev.fbf.core.filter.ChildJvm;
import dev.fbf.core.filter.FilterStore;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "its files have no POSIX permissions, and links need a privilege")
class PrivateDirectoryTest {

    private static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();
    private static final int ANOTHER_USER = 65_534;

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"000", "022"})
    void onlyItsUserMayReadTheFilesWhateverTheUmask(String umask) throws Exception {
        Path directory = temporary.resolve("parent").resolve("fbf");

        ChildJvm.run(List.of("sh", "-c", "umask " + umask + " && exec \"$@\"", "sh"), AllFiles.class, directory);

        assertThat(permissions(directory)).isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.toList())
                    .hasSizeGreaterThanOrEqualTo(3)
                    .allSatisfy(file -> assertThat(permissions(file)).isEqualTo("rw-------"));
        }
    }

    /** Ends without closing anything. */
    static final class AllFiles {

        private AllFiles() {}

        public static void main(String[] arguments) {
            Node node = Node.open(Path.of(arguments[0]), 8, false);
            node.scope("views", PLAN);
            node.database("main");
            Runtime.getRuntime().halt(0);
        }
    }

    @Test
    void takesThePermissionsOfOthersAwayFromTheDirectory() throws IOException {
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxrwxrwx"));

        FilterStore.open(temporary).close();

        assertThat(permissions(temporary)).isEqualTo("rwx------");
    }

    /** In a container that runs as a number, the user's name is a question mark. */
    @Test
    void takesADirectoryOfItsUserWithoutAName() throws IOException {
        giveAway(ANOTHER_USER, 0755);
        String user = System.getProperty("user.name", "");
        System.setProperty("user.name", "?");
        try {
            makeFilter();
        } finally {
            System.setProperty("user.name", user);
        }

        assertThat(permissions(temporary)).isEqualTo("rwx------");
    }

    @ParameterizedTest
    @ValueSource(ints = {0700, 0755, 0777, 01777})
    void refusesADirectoryOfAnotherUser(int mode) throws IOException {
        giveAway(ANOTHER_USER, mode);

        assertRefused().withMessageContaining("has the permissions " + Integer.toOctalString(mode));
        assertThat(Files.getAttribute(temporary, "unix:mode")).isEqualTo(0040000 | mode);
    }

    /** As {@code /tmp} is: root may not make that its own. */
    @Test
    void refusesADirectoryThatAllShare() throws IOException {
        Files.setAttribute(temporary, "unix:mode", 01777);

        assertRefused().withMessageContaining("Choose a new directory below it");
        assertThat(Files.getAttribute(temporary, "unix:mode")).isEqualTo(0041777);
    }

    /** Kubernetes gives volumes a group, and sets these permissions; the second are those of an {@code emptyDir}. */
    @ParameterizedTest
    @ValueSource(ints = {02775, 02777})
    void takesAVolumeThatItsGroupMayWriteTo(int mode) throws IOException {
        giveAway(ANOTHER_USER, mode);

        makeFilter();

        assertThat(permissions(temporary.resolve("views~1.fbf"))).isEqualTo("rw-------");
    }

    private void giveAway(int user, int mode) throws IOException {
        assumeTrue(ChildJvm.isRoot(), "only root gives files away");
        Files.setAttribute(temporary, "unix:uid", user);
        Files.setAttribute(temporary, "unix:mode", mode);
    }

    private ThrowableAssertAlternative<StorageException> assertRefused() {
        return assertThatExceptionOfType(StorageException.class)
                .isThrownBy(this::makeFilter)
                .withMessageContaining("other users could replace fbf's files");
    }

    private void makeFilter() {
        try (FilterStore directory = FilterStore.open(temporary)) {
            directory.filter("views", PLAN);
        }
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
