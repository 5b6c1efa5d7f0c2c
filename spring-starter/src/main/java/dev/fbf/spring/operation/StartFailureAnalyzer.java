package dev.fbf.spring.operation;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows the description and action of a {@link StartException}. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
