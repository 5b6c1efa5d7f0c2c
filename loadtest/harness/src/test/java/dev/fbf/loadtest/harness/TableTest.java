package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableTest {

    private final Table<Map.Entry<String, Double>> table = Table.<Map.Entry<String, Double>>of(
                    List.of(Map.entry("one", 1.25), Map.entry("a thousand", 1_000.0)))
            .text("name", Map.Entry::getKey)
            .number("value", "%,.1f", Map.Entry::getValue);

    @Test
    void itsColumnsAreAsWideAsTheyMustBe() {
        assertThat(table).hasToString("""
                  name          value
                  one             1.3
                  a thousand  1,000.0
                """);
    }

    @Test
    void itsNumbersAreAlignedAtTheRightOfAPage() {
        assertThat(table.markdown()).isEqualTo("""
                | name | value |
                | --- | --: |
                | one | 1.3 |
                | a thousand | 1,000.0 |
                """);
    }

    @Test
    void eachContenderBeginsARoundOnce() {
        assertThat(Rounds.of(3, List.of("a", "b", "c"))).containsExactly("a", "b", "c", "b", "c", "a", "c", "a", "b");
    }
}
