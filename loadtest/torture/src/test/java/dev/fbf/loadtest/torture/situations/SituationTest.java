package dev.fbf.loadtest.torture.situations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SituationTest {

    @Test
    void eachIsARowOfThePagesTable() throws IOException {
        List<String> rows = Files.readString(Path.of("../../docs/research/situations.md"))
                .lines()
                .filter(line -> line.startsWith("| "))
                .skip(2) // the head
                .map(line -> line.substring(2, line.indexOf(" | ")))
                .toList();

        assertThat(Stream.of(Situation.values()).map(Situation::title))
                .doesNotHaveDuplicates()
                .isSubsetOf(rows);
    }
}
