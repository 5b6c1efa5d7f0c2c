package dev.fbf.db.dialect;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Claims;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.connection.Identifiers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The ledger in tests' databases, without a standby. */
public final class TestDialect {

    static final Tables TABLES = new Tables(Identifiers.quote(FbfDatabase.SCHEMA));

    static final PostgresLedger POSTGRES = new PostgresLedger(TABLES);

    public static final Ledger LEDGER = POSTGRES;

    static final ExpiringRows ROWS = new ExpiringRows(TABLES, PostgresLedger.NAME);

    private TestDialect() {}

    /** Purges the first pages of the ledger. */
    static int purge(Connection connection) throws SQLException {
        return ROWS.purge(connection, 0, 1_000);
    }

    /** The response to an operation, as its ledger has it. */
    public static @Nullable Response find(Connection connection, UUID operation) throws SQLException {
        Ledger.Found found = LEDGER.find(connection, operation, true, null);
        return found == null ? null : found.response();
    }

    /** A response that expires in an hour. */
    public static Ledger.Kept kept(Response response) {
        return new Ledger.Kept(response, Duration.ofHours(1));
    }

    /** The claim of an operation that is to be entered. */
    public static Claim claim(UUID operation, Duration retention, @Nullable Long fingerprint) {
        OperationId id = new OperationId(operation.getMostSignificantBits(), operation.getLeastSignificantBits());
        return (Claim) new Claims(1, applied -> {}).take(id, "scope", retention, fingerprint);
    }

    /** Enters an operation for an hour; returns the refusal. */
    static @Nullable Refusal insert(Connection connection, UUID operation, boolean alone) throws SQLException {
        return LEDGER.insert(connection, claim(operation, Duration.ofHours(1), null), null, alone)
                .refusal();
    }
}
