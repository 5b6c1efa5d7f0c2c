package dev.fbf.db;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LedgerArbiterTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    /** More than it deletes in one transaction. */
    @Test
    void purgesAllOperationsThatHaveExpiredAndNoOther() throws SQLException {
        execute(
                database.connect(),
                "INSERT INTO fbf_ledger SELECT gen_random_uuid(), now() - interval '1 s' FROM generate_series(1, 1500)");
        execute(database.connect(), "INSERT INTO fbf_ledger VALUES (gen_random_uuid(), now() + interval '1 h')");
        try (LedgerArbiter arbiter = new LedgerArbiter(
                StrangeConnections.dataSource(database::connect), FbfDatabase.TABLES, noLookup(), false)) {
            arbiter.purge();
        }

        assertThat(query(
                        database.connect(),
                        "SELECT count(*) FILTER (WHERE expires_at > now()) || '/' || count(*) FROM fbf_ledger"))
                .isEqualTo("1/1");
    }

    private static Arbiter.Lookup noLookup() {
        return new Arbiter.Lookup() {
            @Override
            public <T> T ask(Arbiter.Question<T> question) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
