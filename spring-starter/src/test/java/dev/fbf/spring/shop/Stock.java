package dev.fbf.spring.shop;

import dev.fbf.spring.IdempotentIncrement;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/** A service with a table of its own. */
@Service
class Stock {

    private final JdbcClient jdbc;

    Stock(JdbcClient jdbc) {
        this.jdbc = jdbc;
        jdbc.sql("CREATE TABLE IF NOT EXISTS stock (item varchar(50) PRIMARY KEY, pieces int NOT NULL)")
                .update();
        jdbc.sql("MERGE INTO stock VALUES ('bolt', 100)").update();
    }

    /** Takes a piece, and returns how many are left. */
    int take(String item) {
        jdbc.sql("UPDATE stock SET pieces = pieces - 1 WHERE item = ?")
                .param(item)
                .update();
        return pieces(item);
    }

    @IdempotentIncrement(scope = "deliveries", key = "#delivery")
    void deliver(String delivery, String item) {
        jdbc.sql("UPDATE stock SET pieces = pieces + 1 WHERE item = ?")
                .param(item)
                .update();
    }

    int pieces(String item) {
        return jdbc.sql("SELECT pieces FROM stock WHERE item = ?")
                .param(item)
                .query(Integer.class)
                .single();
    }
}
