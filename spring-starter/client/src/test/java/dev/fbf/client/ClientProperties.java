package dev.fbf.client;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Properties as an application binds them. */
final class ClientProperties {

    private ClientProperties() {}

    /** Binds lines such as {@code max-attempts=1}, the last of each name; the rest has its defaults. */
    static FbfClientProperties of(String... lines) {
        return new Binder(new MapConfigurationPropertySource(Arrays.stream(lines)
                        .map(line -> line.split("=", 2))
                        .collect(Collectors.toMap(
                                line -> "fbf.client." + line[0], line -> line[1], (first, last) -> last))))
                .bindOrCreate("fbf.client", FbfClientProperties.class);
    }
}
