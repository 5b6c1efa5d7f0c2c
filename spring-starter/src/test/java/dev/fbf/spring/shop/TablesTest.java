package dev.fbf.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestConstructor;

/** A test of the data layer has the guard of production. */
@JdbcTest
@Import(Stock.class)
@TestConstructor(autowireMode = TestConstructor.AutowireMode.ALL)
class TablesTest {

    private final Stock stock;

    TablesTest(Stock stock) {
        this.stock = stock;
    }

    @Test
    void aGuardedServiceAppliesOnce() {
        int before = stock.pieces("bolt");

        stock.deliver("delivery", "bolt");
        stock.deliver("delivery", "bolt");

        assertThat(stock.pieces("bolt")).isEqualTo(before + 1);
    }
}
