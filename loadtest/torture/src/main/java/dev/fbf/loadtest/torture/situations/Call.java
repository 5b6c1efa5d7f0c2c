package dev.fbf.loadtest.torture.situations;

import org.springframework.jdbc.core.simple.JdbcClient;

/** A request for an operation. */
record Call(String page, String key) {

    static final String COUNT = "UPDATE torture_page SET views = views + 1 WHERE name = :page";
    static final String WRITE_DOWN = "INSERT INTO torture_applied (operation, counter) VALUES (:key, :page)";

    /** Another operation, which no client has sent: if it is applied, that is seen. */
    Call foreign(String why) {
        return new Call(page, key + " " + why);
    }

    void apply(JdbcClient jdbc) {
        jdbc.sql(COUNT).param("page", page).update();
        jdbc.sql(WRITE_DOWN).param("key", key).param("page", page).update();
    }
}
