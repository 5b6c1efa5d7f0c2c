package dev.fbf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.client.FbfClientProperties;
import dev.fbf.spring.FbfProperties;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A property with its value, as on a page. */
final class Setting {

    private static final Set<ConfigurationPropertyName> KNOWN = known();

    private Setting() {}

    /** Fails if no library has such a property, or fbf's does not take the value. */
    static void check(String setting) {
        String[] parts = setting.split("=", 2);
        if (parts[0].startsWith("fbf.")) {
            boolean client = parts[0].startsWith("fbf.client.");
            Class<?> properties = client ? FbfClientProperties.class : FbfProperties.class;
            BindResult<?> bound = new Binder(new MapConfigurationPropertySource(Map.of(parts[0], parts[1])))
                    .bind(
                            client ? "fbf.client" : "fbf",
                            Bindable.of(properties),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
            assertThat(bound.isBound()).as(setting).isTrue();
        } else {
            assertThat(isKnown(parts[0])).as(setting).isTrue();
        }
    }

    /** Whether a library has a property of the name, a group of that name, or a map to which it belongs. */
    static boolean isKnown(String name) {
        if (name.startsWith("logging.level.")) {
            return true; // names a logger
        }
        ConfigurationPropertyName wanted = ConfigurationPropertyName.of(name);
        return KNOWN.contains(wanted)
                || KNOWN.stream().anyMatch(known -> isMapOf(known, wanted) || wanted.isAncestorOf(known));
    }

    /** The names of fbf's own, in all of its starters. */
    static List<String> own() {
        return KNOWN.stream()
                .map(ConfigurationPropertyName::toString)
                .filter(name -> name.startsWith("fbf."))
                .toList();
    }

    private static boolean isMapOf(ConfigurationPropertyName map, ConfigurationPropertyName name) {
        return map.toString()
                        .matches(
                                "management\\.observations\\.enable|management\\.endpoint\\.health\\.group|fbf\\.scopes")
                && map.isAncestorOf(name);
    }

    private static Set<ConfigurationPropertyName> known() {
        Set<ConfigurationPropertyName> names = new TreeSet<>();
        JsonMapper mapper = JsonMapper.builder().build();
        try {
            for (URL url : Collections.list(
                    Setting.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
                try (InputStream json = url.openStream()) {
                    for (JsonNode property : mapper.readTree(json).path("properties")) {
                        names.add(ConfigurationPropertyName.of(
                                property.path("name").asString()));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }
}
