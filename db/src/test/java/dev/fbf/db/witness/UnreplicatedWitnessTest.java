package dev.fbf.db.witness;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.UnreplicatedCommitContract;
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

        Long token = untilTheStandbyIsBack(
                connection -> requireNonNull(witness.settle(connection, 0, WitnessTable.NO_TOKEN, 1, LONG)));

        assertThat(token).isEqualTo(1);
    }
}
