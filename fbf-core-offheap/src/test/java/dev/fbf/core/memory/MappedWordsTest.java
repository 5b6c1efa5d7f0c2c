package dev.fbf.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.StorageException;
import dev.fbf.core.filter.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** The way to memory that a JDK has: in processes of their own, since a process chooses once. */
class MappedWordsTest {

    private static final List<String> DENY =
            List.of("--sun-misc-unsafe-memory-access=deny", "--illegal-native-access=deny");

    @TempDir
    private Path directory;

    @Test
    @EnabledForJreRange(min = JRE.JAVA_22)
    void isForeignFromJdk22On() throws Exception {
        assertThat(run(List.of())).isEqualTo("ForeignWords ForeignWords");
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_21)
    void isChronicleUntilJdk21() throws Exception {
        assertThat(run(List.of())).isEqualTo("ChronicleWords ChronicleWords");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_24)
    void needsNothingThatAFutureJdkDenies() throws Exception {
        assertThat(run(DENY)).isEqualTo("ForeignWords ForeignWords");
    }

    private String run(List<String> jvm) throws Exception {
        return ChildJvm.runWith(jvm, Both.class, directory.resolve("words")).strip();
    }

    /** Maps and allocates, and prints by which classes, or why not. */
    static final class Both {

        private Both() {}

        public static void main(String[] arguments) throws IOException {
            Path file = Files.write(Path.of(arguments[0]), new byte[64]);
            try {
                Words mapped = MappedWords.map(file);
                Words allocated = MappedWords.allocate(8);
                mapped.setChecked(1, 1);
                allocated.setChecked(1, 1);
                System.out.println(mapped.getClass().getSimpleName() + " "
                        + allocated.getClass().getSimpleName());
            } catch (StorageException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
