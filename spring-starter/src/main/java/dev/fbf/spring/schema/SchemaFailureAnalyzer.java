package dev.fbf.spring.schema;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells what to do about a database that lacks fbf's tables, or cannot have them. */
final class SchemaFailureAnalyzer extends AbstractFailureAnalyzer<SchemaException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SchemaException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
