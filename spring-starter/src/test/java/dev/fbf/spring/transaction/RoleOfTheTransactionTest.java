package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.OperationUnavailableException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

/** A role that a transaction sets before it calls a guarded method. */
@GuardedApp
class RoleOfTheTransactionTest extends CountingAppTest {

    @BeforeEach
    void createRole() {
        jdbc.sql("CREATE ROLE tenant; GRANT ALL ON counted TO tenant").update();
    }

    @AfterEach
    void dropRole() {
        jdbc.sql("DROP OWNED BY tenant; DROP ROLE tenant").update();
    }

    @Test
    void withoutRightsOnTheTablesCountsNothing() {
        assertThatThrownBy(this::countAsTenant)
                .isInstanceOfAny(
                        OperationUnavailableException.class, DataAccessException.class) // at COMMIT in filter mode
                .hasMessageContaining("permission denied for table fbf_");

        assertThat(counted.value()).isZero();
    }

    @Test
    void withTheRightsCounts() {
        jdbc.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO tenant")
                .update();

        countAsTenant();
        countAsTenant();

        assertThat(counted.value()).isEqualTo(1);
    }

    private void countAsTenant() {
        app.transaction.executeWithoutResult(status -> {
            jdbc.sql("SET LOCAL ROLE tenant").update();
            counter.count("a");
        });
    }
}
