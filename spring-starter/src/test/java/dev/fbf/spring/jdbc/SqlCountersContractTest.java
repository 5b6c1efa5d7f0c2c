package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.fbf.spring.Counters;
import dev.fbf.spring.CountersContract;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FailureAnalyses;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

/** Counters in PostgreSQL keep the contract of all counters, in both modes; and what identifies an operation on them. */
@ParameterizedClass
@EnumSource(Mode.class)
@ExtendWith(PostgresExtension.class)
class SqlCountersContractTest extends CountersContract {

    @TempDir
    private static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    private final Mode mode;
    private final IdempotencyKey key = IdempotencyKey.of(UUID.randomUUID());

    private DataSource dataSource;
    private SqlCounters counters;

    SqlCountersContractTest(Mode mode) {
        this.mode = mode;
    }

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource) {
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("DROP TABLE IF EXISTS page").update();
        jdbc.sql("CREATE TABLE page (name text PRIMARY KEY, views bigint NOT NULL)")
                .update();
        app = start(mode, dataSource, "one", "pages");
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        this.dataSource = dataSource;
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("TRUNCATE fbf_counter, page").update();
        jdbc.sql("INSERT INTO page VALUES ('home', 0)").update();
        find();
    }

    private void find() {
        counters = app.bean("counters", SqlCounters.class);
    }

    private static CountingApp start(Mode mode, DataSource dataSource, String node, String scopeOfPages) {
        return CountingApp.start(directory.resolve(mode + "-" + node), new String[] {"fbf.mode=" + mode}, context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(
                    "counters",
                    SqlCounters.class,
                    () -> context.getBean(SqlCounters.Builder.class).build());
            context.registerBean(
                    "pages",
                    SqlCounters.class,
                    () -> context.getBean(SqlCounters.Builder.class)
                            .scope(scopeOfPages)
                            .table("page", "name", "views")
                            .build());
            context.registerBean(Views.class, () -> new Views(context.getBean("counters", SqlCounters.class)));
        });
    }

    @Override
    protected Counters counters() {
        return counters;
    }

    @Override
    protected Counters ofAnotherScope() {
        return app.bean("pages", SqlCounters.class);
    }

    @Override
    protected Views views() {
        return app.bean(Views.class);
    }

    @Override
    protected Counters afterARestart() {
        app.close();
        app = start(mode, dataSource, "one", "pages");
        find();
        return counters;
    }

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @Test
    void countersOfOneScopeAreRefusedAtTheStart() {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> start(mode, dataSource, "equal", "counters"))
                .satisfies(failure -> {
                    FailureAnalysis analysis = FailureAnalyses.of(failure);
                    assertThat(analysis.getDescription()).contains("the scope counters");
                    assertThat(analysis.getAction()).contains("SqlCounters.Builder.scope");
                });
    }

    @Test
    void aJobWithoutALoginRetriesWhatAUserAskedFor() {
        SecurityContextHolder.getContext()
                .setAuthentication(new TestingAuthenticationToken("ada", "secret", "ROLE_USER"));
        counters.increment(key, "home", 1);
        SecurityContextHolder.clearContext();

        assertThat(counters.increment(key, "home", 1)).isEqualTo(1);
    }

    @Test
    void aUuidIsAKeyAndBlankOrMalformedTextIsNot() {
        UUID uuid = UUID.fromString("5f0b3b5e-6d1c-4c0e-9b57-0d9c1d1f2a3b");

        assertThat(IdempotencyKey.of(uuid)).isEqualTo(IdempotencyKey.of(uuid.toString()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IdempotencyKey.of(" "))
                .withMessageContaining("blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IdempotencyKey.of("order-\ud800"))
                .withMessageContaining("surrogate");
    }
}
