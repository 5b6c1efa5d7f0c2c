package dev.fbf.spring;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.guard.WitnessedTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;

/** What decides, in one database, whether an operation was applied. Thread-safe. */
interface Arbiter extends AutoCloseable {

    /** Looks whether the database has what is needed. */
    void check(Connection connection) throws SQLException;

    /** Begins to work, with a first attempt at what there is to do before operations can be applied. */
    void start();

    /** Whether operations can be applied. */
    boolean isReady();

    /** For a transaction that applies operations. */
    Proof newProof();

    /** Whether an operation that the filter has found was applied. */
    boolean confirms(OperationId id);

    /** Notes what the request of an operation is like that may be applied now. */
    void claimed(Operation operation, ForgetfulBloomFilter filter);

    /** Whether an applied operation was asked for by a request like this one, as far as can be told. */
    boolean recognizes(Operation operation, ForgetfulBloomFilter filter);

    /** The transactions that are in doubt. */
    Collection<WitnessedTransaction> inDoubt();

    @Override
    void close();
}
