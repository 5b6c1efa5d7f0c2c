package dev.fbf.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import dev.fbf.core.file.LockedDirectory;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another process, with no JVM flag. */
class AnotherProcessTest {

    @TempDir
    private Path directory;

    @Test
    void keepsOthersOutOfItsDirectoryWhileItLives() throws Exception {
        Process process = start();
        try (BufferedReader output = process.inputReader(UTF_8)) {
            assertThat(output.readLine()).isNotNull();

            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> FilterStore.open(directory))
                    .withMessageContaining("The directory " + directory + " is in use by process " + process.pid());
        } finally {
            process.destroyForcibly().waitFor();
        }
        FilterStore.open(directory).close();
    }

    /** As a web application that was deployed again without a stop. */
    @Test
    void keepsAnotherClassLoaderOutWithoutLettingOtherProcessesIn() throws Exception {
        URL[] classpath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(AnotherProcessTest::url)
                .toArray(URL[]::new);
        FilterStore first = FilterStore.open(directory);
        try (URLClassLoader another = new URLClassLoader(classpath, ClassLoader.getPlatformClassLoader())) {
            Method open = another.loadClass(FilterStore.class.getName()).getMethod("open", Path.class);
            assertThatExceptionOfType(InvocationTargetException.class)
                    .isThrownBy(() -> open.invoke(null, directory))
                    .satisfies(e -> assertThat(e.getCause())
                            .hasMessageContaining(
                                    "The directory " + directory.toRealPath() + " is in use by this process"));

            Process process = start();
            try (BufferedReader output = process.inputReader(UTF_8)) {
                assertThat(output.readLine())
                        .as("the first one still has its lock")
                        .isNull();
            } finally {
                process.destroyForcibly().waitFor();
            }
        } finally {
            first.close();
        }
        FilterStore.open(directory).close();
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }

    private Process start() throws IOException {
        return ChildJvm.start(Holder.class, directory);
    }

    /** Has the directory open until it is killed. */
    static final class Holder {

        private Holder() {}

        public static void main(String[] arguments) throws IOException {
            try (LockedDirectory directory = LockedDirectory.open(Path.of(arguments[0]))) {
                System.out.println(directory.path());
                while (System.in.read() >= 0) {
                    // ends with the process that started this one
                }
            } catch (StorageException e) {
                System.err.println(e.getMessage());
            }
        }
    }
}
