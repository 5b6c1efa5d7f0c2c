package dev.fbf.spring.guard;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells how several processes can serve one scope. */
final class OtherNodeFailureAnalyzer extends AbstractFailureAnalyzer<OtherNodeException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, OtherNodeException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
