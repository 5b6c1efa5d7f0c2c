package dev.fbf.docs;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A Maven command of a page: its goals, profiles, modules and properties are those of the build. */
final class MavenCommand {

    private static final Set<String> GOALS =
            Set.of("verify", "install", "package", "test-compile", "spotless:apply", "spring-boot:run", "clean");
    private static final Set<String> FLAGS = Set.of("-q", "-am", "-T2", "-B", "-ntp", "-o");

    /** Properties of Maven's own plugins. */
    private static final Set<String> PLUGINS = Set.of(
            "groups",
            "maven.test.skip",
            "maven.test.skip.exec",
            "skipTests",
            "test",
            "surefire.failIfNoSpecifiedTests",
            "gpg.keyname");

    private static final Pattern PROFILE =
            Pattern.compile("<profile>\\s*(?:<!--.*?-->\\s*)?<id>([^<]+)</id>", Pattern.DOTALL);
    private static final List<String> SOURCES = sources();

    private MavenCommand() {}

    /** Fails if a word of the command is none that the build knows. */
    static void check(String command) {
        Deque<String> words = new ArrayDeque<>(Arrays.asList(command.split("\\s+")));
        assertThat(words.pop()).isEqualTo("mvn");
        while (!words.isEmpty()) {
            String word = words.pop();
            if (word.equals("-pl")) {
                assertThat(words.pop().split(","))
                        .as(command)
                        .allSatisfy(module -> assertThat(
                                        Page.REPOSITORY.resolve(module).resolve("pom.xml"))
                                .exists());
            } else if (word.startsWith("-P")) {
                assertThat(profiles()).as(command).contains(word.substring(2).split(","));
            } else if (word.startsWith("-D")) {
                checkProperty(word.substring(2).replaceAll("=.*", ""), command);
            } else {
                assertThat(word)
                        .as(command)
                        .satisfiesAnyOf(
                                w -> assertThat(GOALS).contains(w),
                                w -> assertThat(FLAGS).contains(w));
            }
        }
    }

    private static void checkProperty(String name, String command) {
        if (!PLUGINS.contains(name)) {
            String setting = "\n" + name.substring(name.lastIndexOf('.') + 1) + " = ";
            assertThat(SOURCES.stream()
                            .anyMatch(source -> source.contains("${" + name + "}")
                                    || source.contains('"' + name + '"')
                                    || source.contains("<name>" + name + "</name>")
                                    || source.contains(setting)))
                    .as("%s: -D%s is read", command, name)
                    .isTrue();
        }
    }

    private static Set<String> profiles() {
        return SOURCES.stream()
                .flatMap(source -> PROFILE.matcher(source).results().map(profile -> profile.group(1)))
                .collect(toSet());
    }

    /** The POMs, the settings of the load tests, and the Java code that reads system properties. */
    private static List<String> sources() {
        try (Stream<Path> files = Files.walk(Page.REPOSITORY)) {
            return files.filter(file -> !file.toString().contains("/target/")
                            && !file.toString().contains("/docs/src"))
                    .filter(file -> file.endsWith("pom.xml")
                            || file.toString().endsWith(".properties")
                            || file.toString().endsWith(".java"))
                    .map(MavenCommand::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return "\n" + Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
