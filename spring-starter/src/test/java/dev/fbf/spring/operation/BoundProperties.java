package dev.fbf.spring.operation;

import dev.fbf.spring.FbfProperties;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Properties as an application binds them. */
public final class BoundProperties {

    private BoundProperties() {}

    /** Binds lines such as {@code fbf.mode=filter}; the rest has its defaults. */
    public static FbfProperties of(String... lines) {
        return new Binder(new MapConfigurationPropertySource(Arrays.stream(lines)
                        .map(line -> line.split("=", 2))
                        .collect(Collectors.toMap(line -> line[0], line -> line[1]))))
                .bindOrCreate("fbf", FbfProperties.class);
    }
}
