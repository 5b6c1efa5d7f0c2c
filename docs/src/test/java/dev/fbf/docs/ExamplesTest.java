package dev.fbf.docs;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The files in docs/examples: their settings, meters, outcomes and links are real. */
class ExamplesTest {

    private static final Pattern VARIABLE = Pattern.compile("\\b(?:SPRING|FBF)_[A-Z_]+");
    private static final Pattern METER = Pattern.compile("\\bfbf_[a-z_]+");
    private static final Pattern OUTCOMES = Pattern.compile("outcome=~\"([^\"]+)\"");
    private static final Pattern LINK = Pattern.compile("docs/\\S+\\.md#\\S+");
    private static final Pattern METER_ROW = Pattern.compile("(?m)^\\| `(fbf\\.[a-z.]+)` \\| ([a-z]+)");
    private static final Pattern POSTGRES = Pattern.compile("postgres:(\\d+)");

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yaml", "compose.yaml", "kubernetes.yaml"})
    void namesWhatIsThere(String name) throws IOException {
        String text = Files.readString(Path.of("examples", name));
        Map<String, Object> yaml = new Yaml().load(text);

        assertThat(yaml).isNotEmpty();
        assertThat(found(VARIABLE, text))
                .allSatisfy(variable -> assertThat(Setting.isKnown(
                                variable.toLowerCase(Locale.ROOT).replace('_', '.')))
                        .as(variable)
                        .isTrue());
        assertThat(found(METER, text)).isSubsetOf(meters());
        assertThat(found(OUTCOMES, text))
                .allSatisfy(outcomes -> assertThat(outcomes.split("\\|"))
                        .allSatisfy(outcome ->
                                assertThat(Page.of("docs/operations.md").text()).contains("\n| `" + outcome + "` | ")));
        assertThat(found(LINK, text))
                .allSatisfy(link -> assertThat(LinksTest.leadsSomewhere(Page.REPOSITORY.resolve("README.md"), link))
                        .as(link)
                        .isTrue());
        assertThat(found(POSTGRES, text))
                .allSatisfy(version ->
                        assertThat(Page.of("README.md").text()).contains("| PostgreSQL | " + version + " |"));
    }

    /** As Micrometer names them for Prometheus: a timer has a count of its own. */
    private static Set<String> meters() {
        return METER_ROW
                .matcher(Page.of("docs/operations.md").text())
                .results()
                .map(row -> row.group(1).replace('.', '_') + (row.group(2).equals("timer") ? "_seconds_count" : ""))
                .collect(toSet());
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(result -> result.group(result.groupCount()))
                .toList();
    }
}
