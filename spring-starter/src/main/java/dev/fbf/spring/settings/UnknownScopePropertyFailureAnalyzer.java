package dev.fbf.spring.settings;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells what can be set for a scope. */
final class UnknownScopePropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnknownScopePropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnknownScopePropertyException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
