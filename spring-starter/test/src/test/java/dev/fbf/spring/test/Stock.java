package dev.fbf.spring.test;

import dev.fbf.spring.IdempotentIncrement;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/** A guarded service, which counts in a table of the application's. */
@Service
class Stock {

    private final JdbcClient jdbc;

    Stock(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @IdempotentIncrement(scope = "stock", key = "#delivery")
    int add(String delivery, String item) {
        jdbc.sql("UPDATE stock SET pieces = pieces + 1 WHERE item = ?")
                .param(item)
                .update();
        if (delivery.startsWith("broken")) {
            throw new IllegalStateException(delivery);
        }
        return 1;
    }

    int pieces(String item) {
        return jdbc.sql("SELECT pieces FROM stock WHERE item = ?")
                .param(item)
                .query(Integer.class)
                .single();
    }
}
