package dev.fbf.docs;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The files in docs/examples: their settings, meters, outcomes and links are real. Those for Kubernetes have a test of their own. */
class ExamplesTest {

    private static final Pattern VARIABLE = Pattern.compile("\\b(?:SPRING|FBF)_[A-Z_]+");
    private static final Pattern METER = Pattern.compile("\\bfbf_[a-z_]+");
    private static final Pattern OUTCOMES = Pattern.compile("outcome=~?\"([^\"]+)\"");
    private static final Pattern LINK = Pattern.compile("docs/\\S+\\.md#\\S+");
    private static final Pattern METER_ROW =
            Pattern.compile("(?m)^\\| `(fbf\\.[a-z.]+)` \\| ([a-z ]+)(?:, ([a-z]+))? \\|");
    private static final Pattern POSTGRES = Pattern.compile("postgres:(\\d+)");

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yaml", "compose.yaml", "dashboard.json"})
    void namesWhatIsThere(String name) throws Exception {
        String file = Files.readString(Path.of("examples", name));
        Map<String, Object> yaml = new Yaml().load(file);
        String text = file.replace("\\\"", "\"");

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

    /** Time series in Prometheus, as Micrometer names them; the starter's tests hold the page's rows against an application. */
    private static Set<String> meters() {
        return METER_ROW
                .matcher(Page.of("docs/operations.md").text())
                .results()
                .flatMap(row -> suffixes(row.group(2), row.group(3))
                        .map(suffix -> row.group(1).replace('.', '_') + suffix))
                .collect(toSet());
    }

    private static Stream<String> suffixes(String type, @Nullable String unit) {
        return switch (type) {
            case "counter" -> Stream.of("_total");
            case "timer" -> Stream.of("_seconds_count", "_seconds_sum", "_seconds_max");
            case "distribution summary" -> Stream.of("_count", "_sum", "_max");
            default -> Stream.of(unit == null ? "" : "_" + unit);
        };
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(result -> result.group(result.groupCount()))
                .toList();
    }
}
