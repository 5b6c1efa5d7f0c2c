package dev.fbf.loadtest.torture.situations;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A service that guarded methods call, or that calls them. */
@Component
class Below {

    private final JdbcClient jdbc;

    Below(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional(isolation = Isolation.SERIALIZABLE, timeout = 60)
    public void countSerializably(Call call) {
        call.apply(jdbc);
    }

    @Transactional(readOnly = true)
    public long read(Call call) {
        return jdbc.sql("SELECT views FROM torture_page WHERE name = ?")
                .param(call.page())
                .query(Long.class)
                .single();
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void countElsewhere() {
        jdbc.sql("UPDATE torture_probe SET applied = applied + 1").update();
    }

    @Retryable(maxRetries = 2, delay = 1)
    public void retry(Runnable work) {
        work.run();
    }
}
