package dev.fbf.sample.kill;

import dev.fbf.sample.postgres.ConditionalOnLocalPostgres;
import dev.fbf.spring.IdempotentIncrement;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** Two counters for each operation; the methods that add to them differ in one annotation. */
@Repository
@ConditionalOnLocalPostgres
class CutCounter {

    static final String SCOPE = "kill";

    private final JdbcClient jdbc;

    CutCounter(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @IdempotentIncrement(scope = SCOPE, key = "#key")
    public void addGuarded(String key, CutOperation operation) {
        add(true, operation);
    }

    @Transactional
    public void addUnguarded(CutOperation operation) {
        add(false, operation);
    }

    private void add(boolean guarded, CutOperation operation) {
        jdbc.sql("UPDATE cut_operation SET counted = counted + 1 WHERE guarded = ? AND operation = ?")
                .params(guarded, operation.number())
                .update();
        operation.ran();
    }

    void reset(int operations) {
        jdbc.sql("DELETE FROM cut_operation").update();
        jdbc.sql(
                        "INSERT INTO cut_operation SELECT guarded, operation, 0 FROM (VALUES (true), (false)) AS kind (guarded),"
                                + " generate_series(1, ?) AS operation")
                .param(operations)
                .update();
    }

    long counted(boolean guarded, int operation) {
        return jdbc.sql("SELECT counted FROM cut_operation WHERE guarded = ? AND operation = ?")
                .params(guarded, operation)
                .query(Long.class)
                .single();
    }
}
