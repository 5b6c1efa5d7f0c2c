package dev.fbf.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ClassPathResource;
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

    @Test
    void aTestOfJpaHasTheSameGuard() {
        assertThat(imports("boot.data.jpa.test.autoconfigure.AutoConfigureDataJpa"))
                .isEqualTo(imports("boot.jdbc.test.autoconfigure.AutoConfigureJdbc"))
                .isNotEmpty();
    }

    private static byte[] imports(String slice) {
        try {
            return new ClassPathResource("META-INF/spring/org.springframework." + slice + ".imports")
                    .getContentAsByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
