package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.harness.redis.RedisServer;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.SqlCounters;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.annotation.IdempotentReceiver;
import org.springframework.integration.annotation.MessagingGateway;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.handler.advice.IdempotentReceiverInterceptor;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.integration.selector.MetadataStoreSelector;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.DataSourceInitializer;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.transaction.annotation.Transactional;

/** The beans of the contenders' applications, as users write them. */
final class Services {

    private Services() {}

    /** A method for each way to add one to a counter: a bean that is called through Spring's proxies. */
    static class CounterService {

        /** In place of a SHA-256 of the request, and of the result: with them the rows are as long as they are in use. */
        private static final String HASH = "0123456789abcdef".repeat(4);

        private static final String RESULT = "{\"added\": 1}";
        private static final String OPERATION = "INCREMENT";
        private static final Duration KEPT = Duration.ofDays(365);

        private final JdbcTemplate jdbc;
        private final String update;
        private final String insert;
        private final String insertAndUpdate;
        private final String insertPending;
        private final String complete;
        private final String find;

        CounterService(JdbcTemplate jdbc, GuardContender contender) {
            this.jdbc = jdbc;
            update = contender.update();
            insert = "INSERT INTO " + contender.keys() + " (id) VALUES (?)";
            insertAndUpdate = "WITH entered AS (" + insert + " ON CONFLICT DO NOTHING RETURNING 1) UPDATE "
                    + contender.counters() + " SET value = value + 1 FROM entered WHERE id = ?";
            insertPending = "INSERT INTO " + contender.keys()
                    + " (operation, key, request_hash, status, created_at, expires_at)"
                    + " VALUES (?, ?, ?, 'PROCESSING', ?, ?) ON CONFLICT (operation, key) DO NOTHING";
            complete = "UPDATE " + contender.keys()
                    + " SET status = 'COMPLETED', result_type = ?, result = ?::jsonb, completed_at = ?"
                    + " WHERE operation = ? AND key = ? AND status = 'PROCESSING'";
            find =
                    "SELECT request_hash, status, result_type, result, error_code, created_at, completed_at, expires_at FROM "
                            + contender.keys() + " WHERE operation = ? AND key = ?";
        }

        /**
         * The statements of KHolodilin's spring-boot-idempotency-starter, without its caches: a pending row for the key, and an
         * UPDATE that completes it when the method has done its work. A retry finds a row, and reads what the method returned.
         */
        @Transactional
        public void insertPendingRow(int counter, String key) {
            OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
            if (jdbc.update(insertPending, OPERATION, key, HASH, now, now.plus(KEPT)) == 1) {
                jdbc.update(update, counter);
                jdbc.update(complete, "java.util.Map", RESULT, OffsetDateTime.now(ZoneOffset.UTC), OPERATION, key);
            } else {
                jdbc.queryForMap(find, OPERATION, key);
            }
        }

        /** One statement, and nobody minds the retries. */
        public void update(int counter, String key) {
            jdbc.update(update, counter);
        }

        /** A transaction, and nobody minds the retries. */
        @Transactional
        public void updateInTransaction(int counter, String key) {
            jdbc.update(update, counter);
        }

        /** What one writes by hand: a row for each key, which fails if there is one already. */
        @Transactional
        public void insertKey(int counter, String key) {
            jdbc.update(insert, key);
            jdbc.update(update, counter);
        }

        /** What can be done by hand to spare a round trip. */
        public void insertKeyInSameStatement(int counter, String key) {
            jdbc.update(insertAndUpdate, key, counter);
        }

        /** fbf, in the mode of its application. */
        @IdempotentIncrement(scope = "guarded", key = "#key")
        public void guarded(int counter, String key) {
            jdbc.update(update, counter);
        }

        /** The same, and fbf is told that there is nothing but SQL to take back. */
        @IdempotentIncrement(scope = "guarded", key = "#key", sqlOnly = true)
        public void guardedSqlOnly(int counter, String key) {
            jdbc.update(update, counter);
        }
    }

    /** fbf's own counters, in the mode of their application. */
    static class GroupedCounters {

        private final SqlCounters counters;

        GroupedCounters(SqlCounters.Builder builder, GuardContender contender) {
            counters = builder.scope("guarded")
                    .table(contender.counters(), "id", "value")
                    .build();
        }

        void increment(int counter, String key) {
            counters.increment(IdempotencyKey.of(key), Integer.toString(counter), 1);
        }
    }

    /**
     * Redis at its best: one call, in which a script sets the key and counts, or does neither if the key is there. The counters are
     * in Redis alone: no transaction of the database has them, and no SQL reads them.
     */
    static class RedisCounters {

        private static final String SCRIPT = """
                if redis.call('SET', KEYS[1], '', 'NX', 'EX', ARGV[1]) then
                  return redis.call('INCR', KEYS[2])
                end
                return redis.call('GET', KEYS[2])
                """;

        /** The default retry window of fbf, in seconds. */
        private static final List<String> WINDOW = List.of("600");

        private static final int AT_ONCE = 1_000;

        private final RedisServer redis;
        private final String script;

        RedisCounters(RedisServer redis) {
            this.redis = redis;
            script = redis.client().scriptLoad(SCRIPT);
        }

        void increment(int counter, String key) {
            redis.client().evalsha(script, List.of(key, counter(counter)), WINDOW);
        }

        private static String counter(int counter) {
            return "counter:" + counter;
        }

        /** Returns the values of the first counters; 0 for a counter that does not exist. */
        static List<Long> values(RedisServer redis, int count) {
            List<Long> values = new ArrayList<>();
            for (int from = 0; from < count; from += AT_ONCE) {
                String[] keys = IntStream.range(from, Math.min(count, from + AT_ONCE))
                        .mapToObj(RedisCounters::counter)
                        .toArray(String[]::new);
                redis.client().mget(keys).forEach(value -> values.add(value == null ? 0 : Long.parseLong(value)));
            }
            return values;
        }
    }

    /** Spring Integration's idempotent receiver: its store has a row for each key, and drops the message if there is one. */
    @Configuration(proxyBeanMethods = false)
    @EnableIntegration
    @Import(IntegrationGateway.class)
    static class IntegrationService {

        static final String CHANNEL = "increments";
        static final String KEY = "key";

        private static final String RECEIVER = "idempotentReceiver";
        private static final String TABLES = "org/springframework/integration/jdbc/schema-postgresql.sql";

        private final JdbcTemplate jdbc;
        private final String update;

        IntegrationService(JdbcTemplate jdbc, GuardContender contender) {
            this.jdbc = jdbc;
            update = contender.update();
        }

        @ServiceActivator(inputChannel = CHANNEL)
        @IdempotentReceiver(RECEIVER)
        public void increment(@Payload int counter) {
            jdbc.update(update, counter);
        }

        @Bean(RECEIVER)
        static IdempotentReceiverInterceptor idempotentReceiver(JdbcMetadataStore store) {
            IdempotentReceiverInterceptor receiver = new IdempotentReceiverInterceptor(
                    new MetadataStoreSelector(message -> message.getHeaders().get(KEY, String.class), store));
            receiver.setDiscardChannelName("nullChannel");
            return receiver;
        }

        @Bean
        static JdbcMetadataStore store(JdbcTemplate jdbc) {
            return new JdbcMetadataStore(jdbc);
        }

        @Bean
        static DataSourceInitializer tables(DataSource pool) {
            DataSourceInitializer tables = new DataSourceInitializer();
            tables.setDataSource(pool);
            tables.setDatabasePopulator(new ResourceDatabasePopulator(new ClassPathResource(TABLES)));
            return tables;
        }
    }

    /** The way in to {@link IntegrationService}; whatever is behind it is one transaction. */
    @MessagingGateway(defaultRequestChannel = IntegrationService.CHANNEL)
    interface IntegrationGateway {

        @Transactional
        void increment(@Payload int counter, @Header(IntegrationService.KEY) String key);
    }
}
