package dev.fbf.spring.transaction;

import dev.fbf.core.StorageException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Failure analyzer for a directory, file, memory or table of fbf that cannot be used. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StorageFailureAnalyzer extends AbstractFailureAnalyzer<StorageException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StorageException cause) {
        return new FailureAnalysis(cause.description(), cause.action() + property(cause.setting()), cause);
    }

    /** Returns a sentence that names the setting's property, which core does not know. */
    private static String property(StorageException.@Nullable Setting setting) {
        if (setting == null) {
            return "";
        }
        return switch (setting) {
            case DIRECTORY ->
                " The directory is the property fbf.directory; docs/testing.md describes the directories"
                        + " of tests.";
            case MAX_BYTES -> " The limit is the property fbf.max-size.";
        };
    }
}
