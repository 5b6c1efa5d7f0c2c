package dev.fbf.sample.race;

import dev.fbf.spring.IdempotentIncrement;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The same UPDATE in a guarded method. */
@Component
@Order(2)
class GuardedUpdate implements Contender {

    private final JdbcClient jdbc;

    GuardedUpdate(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public String name() {
        return "guarded";
    }

    @Override
    @IdempotentIncrement(scope = "race", key = "#key", sqlOnly = true)
    public void count(String key) {
        jdbc.sql("UPDATE race SET counted = counted + 1 WHERE contender = ?")
                .param("guarded")
                .update();
    }
}
