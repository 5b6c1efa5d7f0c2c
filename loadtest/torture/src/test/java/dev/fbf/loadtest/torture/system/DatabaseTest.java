package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.SharedServer;
import dev.fbf.loadtest.torture.client.KnownHistory;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.client.Operations.Target;
import dev.fbf.loadtest.torture.system.Verdict.Tally;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
class DatabaseTest {

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    private final Operations operations = new Operations(1, 4, 0.99);
    private final KnownHistory known = new KnownHistory(operations);
    private final long own = known.acknowledged(Target.OWN_COUNTER);
    private final long shared = known.acknowledged(Target.SHARED_COUNTER);
    private Database database;

    @BeforeEach
    void create() throws SQLException {
        execute("CREATE TABLE fbf_counter (name varchar(255) PRIMARY KEY, value bigint NOT NULL)");
        database = new Database(SERVER.get());
        database.create(4);
        database.watchCounters();
    }

    @Test
    void findsEachOperationOfAGroupAppliedAndWhatAnotherHasAppliedAgain() throws SQLException {
        add(own, shared);
        Verdict verdict = read();
        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.total()).isEqualTo(new Tally(2, 2, 0, 0));

        add(own);
        add(shared);
        Verdict doubled = read();
        assertThat(doubled.tallies)
                .containsEntry(Target.OWN_COUNTER.toString(), new Tally(1, 1, 0, 1))
                .containsEntry(Target.SHARED_COUNTER.toString(), new Tally(1, 1, 0, 1));
    }

    @Test
    void findsWhatWasRolledBack() throws SQLException {
        execute("BEGIN; " + adding(own, shared) + "; ROLLBACK");
        Verdict verdict = read();
        assertThat(verdict.lost).containsExactly(own);
        assertThat(verdict.total().lost()).isEqualTo(2);
    }

    @Test
    void findsAValueThatNobodyHasWrittenDown() throws SQLException {
        add(own, shared);
        execute("ALTER TABLE fbf_counter DISABLE TRIGGER ALL; UPDATE fbf_counter SET value = value + 1");
        assertThat(read().wrongValues).hasSize(2);
    }

    private Verdict read() throws SQLException {
        Verdict verdict = new Verdict(operations, known.history());
        database.read(verdict);
        return verdict;
    }

    /** As groups do it. */
    private void add(long... group) throws SQLException {
        execute(adding(group));
    }

    private String adding(long... group) {
        return Arrays.stream(group)
                .mapToObj(operation -> "('" + operations.counter(operation) + "', 1)")
                .collect(Collectors.joining(
                        ", ",
                        "INSERT INTO fbf_counter AS counter VALUES ",
                        " ON CONFLICT (name) DO UPDATE SET value = counter.value + excluded.value"));
    }

    private static void execute(String sql) throws SQLException {
        SERVER.get().execute(sql);
    }
}
