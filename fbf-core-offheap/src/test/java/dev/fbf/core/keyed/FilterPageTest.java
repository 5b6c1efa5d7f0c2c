package dev.fbf.core.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java code of docs/filter.md, as it stands there: it compiles, runs, and does what the page says. */
class FilterPageTest {

    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\n(.*?)^```");

    @TempDir
    private Path directory;

    private static List<String> examples() throws IOException {
        return JAVA.matcher(Files.readString(Path.of("../docs/filter.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    /** Completes lines to a class, with the imports that the page names. */
    private static String complete(String name, String lines) {
        return "import dev.fbf.core.keyed.*; import dev.fbf.core.plan.*; import java.nio.file.*; import java.time.*;\nclass "
                + name + " { public static void main(String[] args) {\n" + lines + "} }";
    }

    @Test
    void theFirstExamplePrintsWhatItSays() throws Exception {
        String example = examples().get(0);
        assertThat(example.lines()).hasSize(5);

        String lines = example.replace("Path.of(\"seen\")", "Path.of(args[0])");
        assertThat(run("First", complete("First", lines))).containsExactly("true", "false");
        assertThat(run("First", complete("First", lines))).containsExactly("false", "false");
    }

    /** Compiles and runs a class, and returns the lines that it prints. */
    private List<String> run(String name, String source) throws Exception {
        Path classes = Files.createDirectories(directory.resolve("classes"));
        Path file = Files.writeString(classes.resolve(name + ".java"), source);
        String core = Path.of(KeyedFilter.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-cp", core, "-proc:none", "-d", classes.toString(), file.toString());
        assertThat(compiled).as("javac").isZero();
        PrintStream out = System.out;
        Path printed = directory.resolve("printed");
        try (URLClassLoader loader =
                        new URLClassLoader(new URL[] {classes.toUri().toURL()});
                PrintStream to = new PrintStream(printed.toFile(), UTF_8)) {
            System.setOut(to);
            var main = loader.loadClass(name).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[] {directory.resolve("filter").toString()});
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        } finally {
            System.setOut(out);
        }
        return Files.readAllLines(printed);
    }
}
