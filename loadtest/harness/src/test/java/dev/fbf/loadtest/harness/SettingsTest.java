package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SettingsTest {

    private final Properties system = new Properties();

    @Test
    void aSystemPropertyOverridesBoth() {
        system.setProperty("family.known.rate", "7");

        assertThat(load("known", Length.FULL).integer("rate")).isEqualTo(7);
        assertThat(load("known", Length.SMOKE).integer("rate")).isEqualTo(7);
    }

    @Test
    void anUnknownOneIsRefusedWithTheListOfThoseThatAreKnown() {
        system.setProperty("family.known.rates", "7");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> load("known", Length.FULL))
                .withMessageContaining("family.known.rates is no setting of known")
                .withMessageContaining("family.known.rate, family.known.shares");
    }

    @Test
    void aMisspeltFamilyMemberIsRefusedAtTheLaunch() {
        Set<Settings> runs = Set.of(load("known", Length.FULL));

        Launch.refuseUnknown(Set.of("family.known.rate", "user.dir"), runs);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Launch.refuseUnknown(Set.of("family.knwon.rate"), runs))
                .withMessageContaining("family.knwon.rate is a setting of no run")
                .withMessageContaining("[family.known.]");
    }

    @Test
    void aRunThatExtendsAnotherHasItsSettings() {
        system.setProperty("family.known.shares", "0.5");
        Settings derived = load("derived", Length.SMOKE);

        assertThat(derived.run()).isEqualTo("derived");
        assertThat(derived.className()).isEqualTo("dev.fbf.loadtest.harness.KnownRun");
        assertThat(derived.jvm()).containsExactly("-Xmx64m", "-Xint");
        assertThat(derived.integer("rate")).isEqualTo(10);
        assertThat(derived.words("words")).containsExactly("three");
        assertThat(derived.shares("shares")).containsExactly(0.5);
        assertThat(derived.values()).containsOnlyKeys("delays", "rate", "shares", "words");
    }

    @Test
    void aValueOfTheWrongKindIsRefusedWithItsName() {
        system.setProperty("family.known.rate", "many");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> load("known", Length.FULL).integer("rate"))
                .withMessage("family.known.rate=many must be an integer");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> load("known", Length.FULL).flag("rate"))
                .withMessageContaining("true or false");
    }

    /** Of all modules. */
    @Test
    void eachHasItsMeaningAboveIt() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String module : List.of("bench", "gatling", "jcstress", "paper", "torture")) {
            try (Stream<Path> found = Files.list(Path.of("..", module, "src", "main", "resources"))) {
                found.filter(file -> file.toString().endsWith(".properties")
                                && !file.toString().endsWith("-smoke.properties"))
                        .forEach(files::add);
            }
        }
        assertThat(files).hasSizeGreaterThan(10);
        for (Path file : files) {
            List<String> lines = Files.readAllLines(file);
            boolean extended = lines.stream().anyMatch(line -> line.startsWith("run.extends"));
            for (int i = 1; i < lines.size() && !extended; i++) {
                if (lines.get(i).matches("[a-z][A-Za-z-]* *=.*")) {
                    assertThat(lines.get(i - 1))
                            .as("%s above %s", file, lines.get(i))
                            .matches("# .*\\.");
                }
            }
        }
    }

    private Settings load(String run, Length length) {
        return Settings.load(run, length, system);
    }
}
