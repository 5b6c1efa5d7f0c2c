package dev.fbf.sample.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class LocalPostgresTest {

    @TempDir
    Path folder;

    @Test
    void itsDataSurvivesARestart() throws IOException {
        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            jdbc(postgres).sql("CREATE TABLE kept (n int)").update();
            jdbc(postgres).sql("INSERT INTO kept VALUES (42)").update();
        }
        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            assertThat(jdbc(postgres)
                            .sql("SELECT n FROM kept")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(42);
        }
    }

    @Test
    void aFirstStartThatWasKilledIsBegunAnew() throws IOException {
        Files.writeString(Files.createDirectory(folder.resolve("postgres")).resolve("postgresql.conf"), "");

        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            assertThat(setting(postgres, "port")).isNotBlank();
        }
    }

    @Test
    void aSecondOneOnTheSameFolderIsRefusedAndTheFirstGoesOn() throws IOException {
        try (LocalPostgres first = LocalPostgres.start(folder)) {
            assertThatExceptionOfType(DataDirectoryInUseException.class)
                    .isThrownBy(() -> LocalPostgres.start(folder))
                    .withMessageContaining(folder.toRealPath().toString());

            assertThat(setting(first, "port")).isNotBlank();
        }
    }

    @Test
    void itKeepsWhatItAcknowledged() throws IOException {
        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            assertThat(setting(postgres, "fsync")).isEqualTo("on");
            assertThat(setting(postgres, "synchronous_commit")).isEqualTo("on");
            assertThat(setting(postgres, "full_page_writes")).isEqualTo("on");
        }
    }

    @Test
    void itStaysAwayWhenADatabaseIsGiven() {
        new ApplicationContextRunner()
                .withUserConfiguration(PostgresConfiguration.class)
                .withPropertyValues("spring.datasource.url=jdbc:postgresql://elsewhere/pages")
                .withPropertyValues("sample.data-directory=" + folder)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocalPostgres.class));
    }

    private static String setting(LocalPostgres postgres, String name) {
        return jdbc(postgres).sql("SHOW " + name).query(String.class).single();
    }

    private static JdbcClient jdbc(LocalPostgres postgres) {
        return JdbcClient.create(
                new DriverManagerDataSource(postgres.getJdbcUrl(), postgres.getUsername(), postgres.getPassword()));
    }
}
