package dev.fbf.spring;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The table of properties in docs/properties.md, and the hints, against what an editor is told. */
class PropertiesTableTest {

    private final JsonNode metadata = metadata();
    private final Map<String, JsonNode> properties = StreamSupport.stream(
                    metadata.path("properties").spliterator(), false)
            .filter(property -> property.path("name").asString().startsWith("fbf."))
            .collect(toMap(property -> property.path("name").asString(), property -> property));

    @Test
    void theTableHasEachPropertyOnceWithItsDefault() {
        Map<String, String> documented = new TreeMap<>();
        for (List<String> row : Rows.of("docs/properties.md", "fbf.")) {
            assertThat(documented.put(Rows.code(row.get(0)), row.get(1)))
                    .as(row.get(0))
                    .isNull();
            assertThat(row.get(2)).as(row.get(0)).isNotBlank();
        }

        assertThat(documented).containsOnlyKeys(properties.keySet());
        properties.forEach((name, property) -> {
            if (property.has("defaultValue")) {
                assertThat(documented).containsEntry(name, '`' + defaultOf(property) + '`');
            } else {
                assertThat(documented.get(name))
                        .as(name)
                        .satisfiesAnyOf(
                                cell -> assertThat(cell).isEqualTo("none"),
                                cell -> assertThat(cell).doesNotStartWith("`"));
            }
            assertThat(property.path("description").asString()).as(name).endsWith(".");
        });
    }

    @Test
    void hintsAreForPropertiesThatThereAreAndNameEachConstantOfAnEnum() throws Exception {
        for (JsonNode hint : metadata.path("hints")) {
            JsonNode property =
                    Objects.requireNonNull(properties.get(hint.path("name").asString()));
            Class<?> type = Class.forName(property.path("type").asString());
            if (type.isEnum()) {
                Set<String> named = new HashSet<>();
                hint.path("values")
                        .forEach(value -> named.add(value.path("value").asString()));
                assertThat(named).hasSize(type.getEnumConstants().length);
                for (Object constant : type.getEnumConstants()) {
                    assertThat(named)
                            .contains(
                                    constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'));
                }
            }
        }
        assertThat(metadata.path("hints").isEmpty()).isFalse();
    }

    /** As one would write it: the metadata has what stands in the code. */
    private static String defaultOf(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        return switch (property.path("name").asString()) {
            case "fbf.false-positive-probability" -> value.asDouble() == 1e-9 ? "1e-9" : value.toString();
            default -> value.isString() ? value.asString() : value.toString();
        };
    }

    private static JsonNode metadata() {
        try (InputStream json = Objects.requireNonNull(
                FbfProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            return JsonMapper.builder().build().readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
