package dev.fbf.db.ledger;

import dev.fbf.db.FbfDatabase;

/** The ledger in tests' databases. A test has it {@linkplain LedgerTable#trust trust} its server. */
final class TestLedger {

    static final LedgerTable LEDGER = new LedgerTable(FbfDatabase.TABLES);

    static final ExpiringRows ROWS = new ExpiringRows(FbfDatabase.TABLES, LedgerTable.NAME);

    private TestLedger() {}
}
