package dev.fbf.spring.test;

import static dev.fbf.spring.test.FbfMockMvc.idempotencyKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.SqlCounters;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** Slices of an application have a guard, too. */
class SlicesTest {

    @Nested
    @WebMvcTest(Orders.class)
    class OfTheWeb {

        @Autowired
        private MockMvcTester mvc;

        @Autowired
        private SqlCounters counters;

        @Test
        void countsOnceAndWhatFailsIsNewAgain() {
            assertThat(mvc.post()
                            .uri("/orders/bolt")
                            .with(idempotencyKey("fail"))
                            .content("fail"))
                    .hasFailed();
            for (int i = 0; i < 3; i++) {
                assertThat(mvc.post().uri("/orders/bolt").with(idempotencyKey("key")))
                        .hasStatusOk()
                        .hasBodyTextEqualTo("bolt 1");
            }
            assertThat(mvc.post().uri("/orders/bolt")).hasStatus(400);
            assertThat(counters.value("bolt")).hasValue(1);
        }

        @Test
        void countsOnceWithTheKeyOfARequestAndASecondUseNeedsATransaction() {
            for (int i = 0; i < 2; i++) {
                assertThat(mvc.post().uri("/views/nut").with(idempotencyKey("key")))
                        .hasStatusOk()
                        .hasBodyTextEqualTo("1");
            }
            assertThat(mvc.post().uri("/views/screw").with(idempotencyKey("key")))
                    .hasStatus(422);
            assertThat(mvc.post().uri("/views/nut")).hasStatus(400);
            assertThat(mvc.post().uri("/views/nut/apart").with(idempotencyKey("apart")))
                    .hasFailed();

            assertThat(counters.value("nut")).hasValue(2);
        }
    }

    @Nested
    @DataJpaTest(
            properties = {"spring.sql.init.data-locations=classpath:stock.sql", "spring.jpa.hibernate.ddl-auto=none"})
    @Import(Stock.class)
    class OfJpa {

        @Autowired
        private Stock stock;

        @Test
        void countsOnce() {
            assertThat(stock.add("delivery", "bolt")).isEqualTo(1);
            assertThatExceptionOfType(DuplicateOperationException.class)
                    .isThrownBy(() -> stock.add("delivery", "bolt"));
            assertThat(stock.pieces("bolt")).isEqualTo(1);
        }

        /** The transaction of the other test has rolled back. */
        @Test
        void countsOnceMore() {
            countsOnce();
        }
    }
}
