package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** The analysis that Spring Boot prints of a failed start. */
public final class FailureAnalyses {

    private static final List<FailureAnalyzer> ANALYZERS = analyzers();

    private FailureAnalyses() {}

    /** In a packaged application, Spring Boot's jar precedes the starter's. */
    private static List<FailureAnalyzer> analyzers() {
        List<FailureAnalyzer> analyzers = new ArrayList<>(SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, SpringFactoriesLoader.FailureHandler.handleMessage((message, e) -> {})));
        analyzers.sort(Comparator.comparing(FailureAnalyses::isOfFbf));
        AnnotationAwareOrderComparator.sort(analyzers);
        return analyzers;
    }

    private static boolean isOfFbf(FailureAnalyzer analyzer) {
        return analyzer.getClass().getPackageName().startsWith("dev.fbf.");
    }

    /** The analysis that Spring Boot prints, which must be one of the starter's. */
    public static FailureAnalysis of(Throwable failure) {
        for (FailureAnalyzer analyzer : ANALYZERS) {
            FailureAnalysis analysis = analyzer.analyze(failure);
            if (analysis != null) {
                assertThat(isOfFbf(analyzer)).as("analyzed by %s", analyzer).isTrue();
                return analysis;
            }
        }
        throw new AssertionError("no analyzer knows this failure", failure);
    }
}
