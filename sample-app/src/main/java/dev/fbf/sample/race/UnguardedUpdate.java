package dev.fbf.sample.race;

import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The UPDATE alone, which commits itself. */
@Component
@Order(1)
final class UnguardedUpdate implements Contender {

    private final JdbcClient jdbc;

    UnguardedUpdate(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public String name() {
        return "unguarded";
    }

    @Override
    public void count(String key) {
        jdbc.sql("UPDATE race SET counted = counted + 1 WHERE contender = ?")
                .param(name())
                .update();
    }
}
