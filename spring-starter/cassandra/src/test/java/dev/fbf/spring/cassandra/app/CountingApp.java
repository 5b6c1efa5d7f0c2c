package dev.fbf.spring.cassandra.app;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import dev.fbf.spring.CountersContract.Views;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.cassandra.CassandraCounters;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.cassandra.autoconfigure.DriverConfigLoaderBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application with nothing but Cassandra; in a package of its own, as users' are. */
@SpringBootApplication
public class CountingApp {

    @Bean
    static CassandraCounters counters(CassandraCounters.Builder builder) {
        return builder.build();
    }

    @Bean
    static CassandraCounters views(CassandraCounters.Builder builder) {
        return builder.scope("views").build();
    }

    @Bean
    static CassandraCounters metered(CassandraCounters.Builder builder) {
        return builder.scope("metered").build();
    }

    @Bean
    static Views contract(CassandraCounters views) {
        return new Views(views);
    }

    /** Tests close many sessions: without the two seconds that the driver waits each time for late tasks. */
    @Bean
    static DriverConfigLoaderBuilderCustomizer closesAtOnce() {
        return builder -> builder.withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0);
    }

    @RestController
    public static class Pages {

        private final CassandraCounters views;
        private final CassandraCounters counters;

        Pages(CassandraCounters views, CassandraCounters counters) {
            this.views = views;
            this.counters = counters;
        }

        @PostMapping("/pages/{page}/views")
        @IdempotentIncrement(scope = "views", onDuplicate = "count")
        public long view(@PathVariable String page) {
            return views.increment(page);
        }

        public long count(String page) {
            return views.value(page).orElse(0);
        }

        @PostMapping("/argument/{page}/views")
        public long viewByArgument(@PathVariable String page, IdempotencyKey key) {
            return views.increment(key, page, 1);
        }

        @PostMapping("/argument/{page}/apart")
        public long viewApart(@PathVariable String page, IdempotencyKey key) {
            views.increment(key, page, 1);
            return views.increment(key, page + "s", 1);
        }

        @IdempotentIncrement(scope = "views", key = "#key")
        public long addToAnotherScope(String key) {
            return counters.increment("page");
        }

        @IdempotentIncrement(scope = "views", key = "#key")
        public long addTwice(String key) {
            views.increment("twice");
            return views.increment("twice");
        }

        @IdempotentIncrement(scope = "views", key = "#key", onDuplicate = "countFailing")
        public long addAndThrow(String key, boolean fails) {
            long value = views.increment("failing");
            if (fails) {
                throw new IllegalArgumentException("too late");
            }
            return value;
        }

        public long countFailing(String key, boolean fails) {
            return count("failing");
        }

        @IdempotentIncrement(scope = "views", key = "#key", onDuplicate = "countNothing")
        public long addUnless(String key, boolean nothing) {
            return nothing ? 0 : views.increment("nothing");
        }

        public long countNothing(String key, boolean nothing) {
            return -1;
        }

        @IdempotentIncrement(scope = "views", key = "#key", waitInProgress = "1h")
        public void addAfter(String key, Runnable first) {
            first.run();
            views.increment("after");
        }
    }
}
