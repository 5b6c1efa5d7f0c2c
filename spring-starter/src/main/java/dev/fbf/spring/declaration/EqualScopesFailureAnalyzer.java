package dev.fbf.spring.declaration;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells how scopes are kept apart. */
final class EqualScopesFailureAnalyzer extends AbstractFailureAnalyzer<EqualScopesException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, EqualScopesException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
