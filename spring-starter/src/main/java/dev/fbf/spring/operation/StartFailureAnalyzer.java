package dev.fbf.spring.operation;

import dev.fbf.core.StorageException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Failure analyzer that shows the description and action of a {@link StartException}, or of a directory, file or memory that cannot be used.
 * Precedes Spring Boot's analyzers: they also know some of the causes, and come first in a packaged application.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartFailureAnalyzer implements FailureAnalyzer {

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StartException start) {
                return new FailureAnalysis(start.getMessage(), start.action(), start);
            }
            if (cause instanceof StorageException storage) {
                return new FailureAnalysis(storage.description(), storage.action(), storage);
            }
        }
        return null;
    }
}
