package dev.fbf.sample.postgres;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class DataDirectoryInUseFailureAnalyzer extends AbstractFailureAnalyzer<DataDirectoryInUseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DataDirectoryInUseException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Stop the other one, or give this one a folder of its own: --sample.data-directory=<folder>",
                cause);
    }
}
