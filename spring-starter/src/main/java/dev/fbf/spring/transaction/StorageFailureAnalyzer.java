package dev.fbf.spring.transaction;

import dev.fbf.core.StorageException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Failure analyzer for a directory, file, memory or table of fbf that cannot be used. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StorageFailureAnalyzer extends AbstractFailureAnalyzer<StorageException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StorageException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
