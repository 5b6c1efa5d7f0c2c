package dev.fbf.spring.guard;

import dev.fbf.core.StorageException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells what to do about a directory or file that cannot be used. */
final class StorageFailureAnalyzer extends AbstractFailureAnalyzer<StorageException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StorageException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
