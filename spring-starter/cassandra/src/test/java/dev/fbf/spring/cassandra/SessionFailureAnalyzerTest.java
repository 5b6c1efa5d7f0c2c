package dev.fbf.spring.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.env.StandardEnvironment;

class SessionFailureAnalyzerTest {

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aCircleOfCausesWithoutCassandraIsNoneOfItsFailures() {
        RuntimeException failure = new IllegalArgumentException("mine");
        failure.initCause(new IllegalStateException(failure));

        assertThat(new SessionFailureAnalyzer(new StandardEnvironment()).analyze(failure))
                .isNull();
    }
}
