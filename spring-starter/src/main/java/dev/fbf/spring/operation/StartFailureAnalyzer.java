package dev.fbf.spring.operation;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Failure analyzer that shows the description and action of a {@link StartException}. Precedes Spring Boot's analyzers: they also know some
 * of its causes, and come first in a packaged application.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
