package dev.fbf.spring;

import dev.fbf.core.OperationId;
import dev.fbf.core.guard.WitnessedDatabase;
import dev.fbf.core.guard.WitnessedTransaction;
import dev.fbf.db.Settler;
import dev.fbf.db.WitnessTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;

/** In {@link Mode#FILTER}: the filter knows what was applied, and the witness what was in doubt. */
final class WitnessArbiter implements Arbiter {

    private final WitnessedDatabase database;
    private final WitnessTable table;
    private final Settler settler;

    WitnessArbiter(WitnessedDatabase database, WitnessTable table, Settler settler) {
        this.database = database;
        this.table = table;
        this.settler = settler;
    }

    @Override
    public void check(Connection connection) throws SQLException {
        table.tokens(connection);
    }

    @Override
    public void start() {
        settler.start();
    }

    @Override
    public boolean isReady() {
        return database.isReady();
    }

    @Override
    public Proof newProof() {
        return new WitnessProof(database, table);
    }

    @Override
    public boolean confirms(OperationId id) {
        return true;
    }

    @Override
    public Collection<WitnessedTransaction> inDoubt() {
        return database.unsettled();
    }

    @Override
    public void onSettled(Consumer<Duration> listener) {
        database.onSettled(listener);
    }

    @Override
    public void close() {
        settler.close();
    }
}
