package dev.fbf.spring.web;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.SqlCounters;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Handlers that count, each in its own way: in {@code counted}, or in fbf's counter with the key's name. */
@Configuration(proxyBeanMethods = false)
@Import({WaysToCount.Inner.class, WaysToCount.Api.class})
class WaysToCount {

    /** What an operation does when it has counted. */
    static volatile Runnable beforeReturn = () -> {};

    static class Inner {

        private final JdbcClient jdbc;

        Inner(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(scope = "inner", onDuplicate = "before")
        public String count() {
            return countUnguarded();
        }

        public String before() {
            return "counted before";
        }

        String countUnguarded() {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            beforeReturn.run();
            return "counted";
        }
    }

    @RestController
    static class Api {

        private final Inner inner;
        private final IdempotentScope scope;
        private final IdempotentScope batches;
        private final SqlCounters counters;
        private final TransactionTemplate requiresNew;

        Api(
                Inner inner,
                IdempotentOperations operations,
                SqlCounters counters,
                PlatformTransactionManager transactions) {
            this.inner = inner;
            scope = operations.scope("scope");
            batches = operations.scope("batches");
            this.counters = counters;
            requiresNew = new TransactionTemplate(transactions);
            requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }

        @PostMapping("/own")
        @IdempotentIncrement(scope = "own")
        public String own() {
            return inner.countUnguarded();
        }

        @PostMapping("/transactional")
        @Transactional
        @IdempotentIncrement(scope = "transactional")
        public String transactional() {
            return inner.countUnguarded();
        }

        @PostMapping("/sql-only")
        @Transactional
        @IdempotentIncrement(scope = "sql-only", sqlOnly = true)
        public String sqlOnly() {
            return inner.countUnguarded();
        }

        @PostMapping("/outer")
        @Transactional
        public String outer() {
            return inner.count();
        }

        @PostMapping("/scope")
        public String scope(@RequestHeader("Idempotency-Key") String key) {
            scope.execute(IdempotencyKey.of(key), inner::countUnguarded);
            return "counted";
        }

        @PostMapping("/batch")
        public String batch(@RequestHeader("Idempotency-Key") String key) {
            batches.executeAll(List.of(key), IdempotencyKey::of, fresh -> inner.countUnguarded());
            return "counted";
        }

        @PostMapping("/counter")
        public long counter(@RequestHeader("Idempotency-Key") String key) {
            return counters.increment(IdempotencyKey.of(key), key, 1);
        }

        @PostMapping("/annotated-counter")
        @IdempotentIncrement(scope = "annotated-counter")
        public long annotatedCounter(@RequestHeader("Idempotency-Key") String key) {
            return counters.increment(key);
        }

        @PostMapping("/sql-only-counter")
        @IdempotentIncrement(scope = "sql-only-counter", sqlOnly = true)
        public long sqlOnlyCounter(@RequestHeader("Idempotency-Key") String key) {
            return counters.increment(key);
        }

        @PostMapping("/argument")
        public long argument(IdempotencyKey key) {
            return counters.increment(key, key.value(), 1);
        }

        @PostMapping("/argument-transactional")
        @Transactional
        public long argumentInTransaction(IdempotencyKey key) {
            return counters.increment(key, key.value(), 1);
        }

        /** A transaction of its own within the guarded one: what fails then has not applied anything either. */
        @PostMapping("/new")
        @IdempotentIncrement(scope = "new")
        public String inNewTransaction() {
            return Objects.requireNonNull(requiresNew.execute(status -> inner.countUnguarded()));
        }
    }
}
