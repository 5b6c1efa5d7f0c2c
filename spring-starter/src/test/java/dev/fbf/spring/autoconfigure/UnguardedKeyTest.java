package dev.fbf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Handlers that take the key of their request where the guard is switched off. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class UnguardedKeyTest {

    @Test
    void eachRequestCountsWithAKeyAndWithout(DataSource dataSource, @TempDir Path directory) throws Exception {
        String page = UUID.randomUUID().toString();
        try (HttpApp app = HttpApp.start(dataSource, directory, Handlers.class, "fbf.enabled=false")) {
            assertThat(app.post("/count/" + page, "Idempotency-Key", "key").body())
                    .isEqualTo("1");
            assertThat(app.post("/count/" + page, "Idempotency-Key", "key").body())
                    .isEqualTo("2");
            assertThat(app.post("/count/" + page).body()).isEqualTo("3");
            assertThat(app.post("/optional").body()).isEqualTo("none");
        }
    }

    @RestController
    static class Handlers {

        private final SqlCounters counters;

        Handlers(SqlCounters counters) {
            this.counters = counters;
        }

        @PostMapping("/count/{page}")
        long count(@PathVariable String page, IdempotencyKey key) {
            return counters.increment(key, page, 1);
        }

        @PostMapping("/optional")
        String optional(Optional<IdempotencyKey> key) {
            return key.map(IdempotencyKey::value).orElse("none");
        }
    }
}
