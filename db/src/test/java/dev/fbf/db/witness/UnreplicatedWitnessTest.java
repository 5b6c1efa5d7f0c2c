package dev.fbf.db.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.TransactionOutcome;
import dev.fbf.db.UnreplicatedCommitContract;
import dev.fbf.db.witness.WitnessTable.Settlement;
import java.sql.Connection;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UnreplicatedWitnessTest extends UnreplicatedCommitContract {

    @Test
    void aTransactionCountsAsCommittedOnceTheStandbyHasIt() throws Exception {
        WitnessTable witness = new WitnessTable(FbfDatabase.TABLES, UUID.randomUUID());
        witness.prepare(database.connect(), 1);
        try (Connection tx = database.begin()) {
            witness.turn(tx, 0, WitnessTable.NO_TOKEN, 1, false);
            tx.commit();
        }

        Settlement settlement =
                untilTheStandbyIsBack(connection -> witness.settle(connection, 0, WitnessTable.NO_TOKEN, 1, LONG));

        assertThat(settlement).isEqualTo(new Settlement(TransactionOutcome.COMMITTED, 1));
    }
}
