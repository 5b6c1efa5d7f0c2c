package dev.fbf.spring;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * Runs where a Docker engine answers, and fails where none does but {@code FBF_DOCKER_REQUIRED} is set. {@code
 * FBF_POSTGRES_IMAGE} names another image than the official one.
 */
class PostgreSqlContainerAccuracyTest extends AccuracyContract {

    private static PostgreSQLContainer postgres;

    @BeforeAll
    static void start() {
        boolean docker = DockerClientFactory.instance().isDockerAvailable();
        assumeTrue(docker || System.getenv("FBF_DOCKER_REQUIRED") != null, "skipped: no Docker engine answers");
        String image = Objects.requireNonNullElse(System.getenv("FBF_POSTGRES_IMAGE"), "postgres:17-alpine");
        postgres = new PostgreSQLContainer(DockerImageName.parse(image).asCompatibleSubstituteFor("postgres"));
        postgres.start();
    }

    @AfterAll
    static void stop() {
        if (postgres != null) {
            postgres.stop();
        }
    }

    @Override
    String[] dataSourceProperties() {
        return new String[] {
            "spring.datasource.url=" + postgres.getJdbcUrl(),
            "spring.datasource.username=" + postgres.getUsername(),
            "spring.datasource.password=" + postgres.getPassword()
        };
    }
}
