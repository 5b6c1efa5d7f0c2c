package dev.fbf.spring;

import java.util.List;
import java.util.Objects;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What the starter's failure analyzers tell of a start that failed. */
public final class FailureAnalyses {

    private static final List<FailureAnalyzer> ANALYZERS = SpringFactoriesLoader.forDefaultResourceLocation()
            .load(FailureAnalyzer.class, SpringFactoriesLoader.FailureHandler.handleMessage((message, e) -> {}))
            .stream()
            .filter(analyzer -> analyzer.getClass().getPackageName().startsWith("dev.fbf."))
            .toList();

    private FailureAnalyses() {}

    /** The analysis by the one that knows the failure. */
    public static FailureAnalysis of(Throwable failure) {
        return ANALYZERS.stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no analyzer knows this failure", failure));
    }
}
