package dev.fbf.db;

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
        FbfDatabase.enterExpired(database.connect(), 1_500);
        FbfDatabase.enterKept(database.connect(), 1);
        try (LedgerArbiter arbiter = new LedgerArbiter(
                StrangeConnections.dataSource(database::connect), FbfDatabase.TABLES, noLookup(), false)) {
            arbiter.purge();
        }

        assertThat(query(
                        database.connect(),
                        "SELECT count(*) FILTER (WHERE retention = 3600) || '/' || count(*) FROM fbf_ledger"))
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
