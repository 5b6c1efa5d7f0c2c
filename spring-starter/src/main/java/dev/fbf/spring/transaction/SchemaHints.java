package dev.fbf.spring.transaction;

import dev.fbf.db.FbfSchema;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ResourceUtils;

/** Registrar of the scripts that create fbf's tables, for ahead-of-time processing. */
final class SchemaHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources()
                .registerPattern(
                        FbfSchema.LOCATION.substring(ResourceUtils.CLASSPATH_URL_PREFIX.length()) + "/*/*.sql");
    }
}
