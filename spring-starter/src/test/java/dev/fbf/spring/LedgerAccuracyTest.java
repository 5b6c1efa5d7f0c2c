package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Tag;

/** Two nodes, to which the same operations come at random, with a ledger between them. */
@Tag("slow")
class LedgerAccuracyTest extends AccuracyContract {

    LedgerAccuracyTest(EmbeddedPostgres postgres) {
        super(1_600, 2, in(postgres, "ledger_accuracy"), "fbf.mode=ledger");
    }
}
