package dev.fbf.core.claim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ChildJvm;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.plan.FilterSizing;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Processes that use a directory one after the other, by java.lang.foreign and by Chronicle in turn, each until it is killed. */
@Tag("slow")
@EnabledForJreRange(min = JRE.JAVA_22)
class KilledInOtherMemoryTest {

    private static final int KILLS = Integer.getInteger("fbf.kills", 6);
    private static final int MOST_PER_LIFE = 300;

    /** Longer than the longest run. */
    private static final FilterSizing SIZING = new FilterSizing(100, Duration.ofHours(6), 1e-9);

    @TempDir
    private Path directory;

    @Test
    void eachFindsAllThatTheOneBeforeHasApplied() throws Exception {
        Random random = new Random(1);
        int applied = 0;
        for (int life = 0; life < KILLS; life++) {
            List<String> jvm = List.of(
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Ddev.fbf.memory=" + (life % 2 == 0 ? "foreign" : "chronicle"));
            Process process = ChildJvm.start(jvm, Applying.class, directory.resolve("node"), applied);
            try (BufferedReader output = process.inputReader(UTF_8)) {
                assertThat(output.readLine())
                        .as("life %d", life)
                        .isEqualTo((life % 2 == 0 ? "ForeignWords" : "ChronicleWords") + ", forgotten: 0");
                for (int more = 1 + random.nextInt(MOST_PER_LIFE); more > 0; more--) {
                    assertThat(output.readLine()).isEqualTo(Integer.toString(applied));
                    applied++;
                }
                process.toHandle().destroyForcibly(); // the process itself would close its output
                applied += (int) output.lines().count();
                process.waitFor();
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
    }

    /** Prints how many operations the directory has forgotten, then each new one that it has applied. */
    static final class Applying {

        private Applying() {}

        public static void main(String[] arguments) {
            int before = Integer.parseInt(arguments[1]);
            Node node = NodeLives.open(Path.of(arguments[0]), 8);
            ScopeClaims scope = node.scope("views", SIZING.plan());
            int forgotten = 0;
            for (int i = 0; i < before; i++) {
                forgotten += scope.admit(operation(i)) == Refusal.APPLIED ? 0 : 1;
            }
            System.out.println(MappedWords.allocate(1).getClass().getSimpleName() + ", forgotten: " + forgotten);
            for (int i = before; i < Integer.MAX_VALUE; i++) {
                Admission admission = scope.admit(operation(i));
                if (admission instanceof Claim claim) {
                    claim.applied();
                } else if (admission != Refusal.APPLIED || i > before) {
                    throw new IllegalStateException(i + ": " + admission);
                } // else the process before was killed before it could print it
                System.out.println(i);
            }
        }

        private static OperationId operation(int number) {
            return OperationId.of("views", "", Integer.toString(number));
        }
    }
}
