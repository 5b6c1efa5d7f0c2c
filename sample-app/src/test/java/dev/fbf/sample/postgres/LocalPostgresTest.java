package dev.fbf.sample.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** One server for all tests: it takes seconds to make. */
class LocalPostgresTest {

    @TempDir
    static Path folder;

    private static LocalPostgres postgres;

    @BeforeAll
    static void start() throws Exception {
        postgres = LocalPostgres.start(folder);
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    @Test
    void itsDataSurvivesARestart() throws Exception {
        jdbc().sql("CREATE TABLE kept (n int)").update();
        jdbc().sql("INSERT INTO kept VALUES (42)").update();

        postgres.close();
        postgres = LocalPostgres.start(folder);

        assertThat(jdbc().sql("SELECT n FROM kept").query(Integer.class).single())
                .isEqualTo(42);
    }

    @Test
    void aSecondOneOnTheSameFolderIsRefusedAndTheFirstGoesOn() {
        assertThatIllegalStateException().isThrownBy(() -> LocalPostgres.start(folder));

        assertThat(setting("port")).isNotBlank();
    }

    @Test
    void itKeepsWhatItAcknowledged() {
        assertThat(setting("fsync")).isEqualTo("on");
        assertThat(setting("synchronous_commit")).isEqualTo("on");
        assertThat(setting("full_page_writes")).isEqualTo("on");
    }

    @Test
    void itAsksForAPasswordThatThisUserAloneCanRead() throws IOException {
        Awaitility.await()
                .untilAsserted(() -> assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> DriverManager.getConnection(
                                        postgres.getJdbcUrl(), postgres.getUsername(), "wrong")
                                .close())
                        .withMessageContaining("password authentication failed"));
        assertThat(Files.getPosixFilePermissions(folder.resolve("postgres.password")))
                .doesNotContain(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
    }

    @Test
    void itStaysAwayWhenADatabaseIsGiven() {
        new ApplicationContextRunner()
                .withUserConfiguration(PostgresConfiguration.class)
                .withPropertyValues("spring.datasource.url=jdbc:postgresql://elsewhere/pages")
                .withPropertyValues("sample.data-directory=" + folder)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocalPostgres.class));
    }

    private static String setting(String name) {
        return jdbc().sql("SHOW " + name).query(String.class).single();
    }

    private static JdbcClient jdbc() {
        return JdbcClient.create(
                new DriverManagerDataSource(postgres.getJdbcUrl(), postgres.getUsername(), postgres.getPassword()));
    }
}
