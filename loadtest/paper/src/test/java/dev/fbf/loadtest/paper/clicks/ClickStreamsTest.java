package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short run, through to what people and machines read. */
class ClickStreamsTest {

    @TempDir
    private Path directory;

    @Test
    void tellsOfEachContenderOnThePageAndAtTheTerminal() throws Exception {
        Run.Findings findings = new ClickStreams()
                .run(Settings.of(
                        "paper.clicks.",
                        Map.ofEntries(
                                Map.entry("bits", "24"),
                                Map.entry("bits-swept", "24"),
                                Map.entry("clicks", "20000"),
                                Map.entry("clicks-swept", "10000"),
                                Map.entry("duplicates", "0.1"),
                                Map.entry("errors", "0.02"),
                                Map.entry("page", directory.toString()),
                                Map.entry("seed", "1"),
                                Map.entry("windows", "2"))));

        assertThat(findings.failures()).isEmpty();
        assertThat(findings.targets()).hasSize(2);
        String page = Files.readString(directory.resolve("clicks.md"));
        for (Peer peer : Peer.values()) {
            assertThat(page).contains(peer.toString());
            assertThat(findings.table()).contains(peer.toString());
        }
        assertThat(page).contains("clicks-memory.png", "Fewest errors with one memory budget");
        assertThat(directory.resolve("clicks-cost.csv"))
                .content()
                .contains("memory,forgetful Bloom filter by its planner,");
        assertThat(directory.resolve("clicks-cost.png")).isNotEmptyFile();
    }
}
