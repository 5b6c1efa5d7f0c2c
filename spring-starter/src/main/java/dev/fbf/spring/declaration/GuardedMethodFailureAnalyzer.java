package dev.fbf.spring.declaration;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells what to do about an annotation that cannot work. */
final class GuardedMethodFailureAnalyzer extends AbstractFailureAnalyzer<GuardedMethodException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, GuardedMethodException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
