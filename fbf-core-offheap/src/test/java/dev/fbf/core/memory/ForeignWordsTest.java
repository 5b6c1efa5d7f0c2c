package dev.fbf.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;

@EnabledForJreRange(min = JRE.JAVA_22)
class ForeignWordsTest {

    private static OffHeapMemory foreign() {
        return Objects.requireNonNull(MappedWords.foreign(), "compile src/main/java22 with Maven on this JDK");
    }

    @Nested
    class Mapped extends MappedWordsContract {

        @Override
        OffHeapMemory memory() {
            return foreign();
        }

        @Test
        void sharesItsFileWithChroniclesWords() throws IOException {
            Path file = sparseFile(SIZE * Long.BYTES);
            Words foreign = map(file);
            Words chronicle = map(new ChronicleWords.Memory(), file);
            foreign.setRelease(9, 1);
            assertThat(chronicle.compareAndSet(9, 1, 2)).isTrue();
            assertThat(foreign.compareAndSet(9, 2, 3)).isTrue();

            assertThat(chronicle.getVolatile(9)).isEqualTo(3);
        }

        /** An access to unmapped memory would end this process. */
        @Test
        @EnabledOnOs(OS.LINUX)
        void unmapsItsFileAtOnceAndThrowsAfterThat() throws IOException {
            Path file = sparseFile(SIZE * Long.BYTES);
            Words words = map(file);
            assertThat(isMapped(file)).isTrue();

            words.unmap();
            words.unmap();

            assertThat(isMapped(file)).isFalse();

            assertThatIllegalStateException().isThrownBy(() -> words.getVolatile(1));
        }
    }
}
