package dev.fbf.loadtest.listeners;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The job of the page, with months of five seconds. */
@Component
class InvoiceJob {

    private final IdempotentScope invoices;
    private final JdbcClient jdbc;

    InvoiceJob(IdempotentOperations operations, JdbcClient jdbc) {
        invoices =
                operations.builder("invoices").retryWindow(Duration.ofDays(62)).build();
        this.jdbc = jdbc;
    }

    @Scheduled(cron = "*/5 * * * * *")
    void bill() {
        YearMonth month = YearMonth.now().minusMonths(1);
        invoices.execute(
                IdempotencyKey.of("invoices-" + month),
                () -> jdbc.sql("INSERT INTO invoice SELECT * FROM due WHERE month = ?")
                        .param(month.toString())
                        .update());
    }
}
