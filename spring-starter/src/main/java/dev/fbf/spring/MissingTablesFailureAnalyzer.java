package dev.fbf.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells what to do about a database without fbf's tables. */
final class MissingTablesFailureAnalyzer extends AbstractFailureAnalyzer<MissingTablesException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MissingTablesException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
