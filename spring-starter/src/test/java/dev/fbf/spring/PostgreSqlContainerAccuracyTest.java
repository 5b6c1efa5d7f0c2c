package dev.fbf.spring;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * Runs where a Docker engine answers, and fails where none does but {@code FBF_DOCKER_REQUIRED} is set. {@code
 * FBF_POSTGRES_IMAGE} names another image than the official one.
 */
class PostgreSqlContainerAccuracyTest extends AccuracyContract {

    private static @Nullable PostgreSQLContainer postgres;

    PostgreSqlContainerAccuracyTest() {
        super(4_000, 1, start());
    }

    private static String[] start() {
        boolean docker = DockerClientFactory.instance().isDockerAvailable();
        assumeTrue(docker || System.getenv("FBF_DOCKER_REQUIRED") != null, "skipped: no Docker engine answers");
        String image = Objects.requireNonNullElse(System.getenv("FBF_POSTGRES_IMAGE"), "postgres:17-alpine");
        PostgreSQLContainer started =
                new PostgreSQLContainer(DockerImageName.parse(image).asCompatibleSubstituteFor("postgres"));
        started.start();
        postgres = started;
        return new String[] {
            "spring.datasource.url=" + started.getJdbcUrl(),
            "spring.datasource.username=" + started.getUsername(),
            "spring.datasource.password=" + started.getPassword()
        };
    }

    @AfterAll
    static void stop() {
        if (postgres != null) {
            postgres.stop();
        }
    }
}
