package dev.fbf.db.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.db.StrangeConnections;
import java.util.List;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlainPoolTest {

    private static List<DataSource> pools() throws ReflectiveOperationException {
        return List.of(
                new HikariDataSource(),
                new org.apache.tomcat.jdbc.pool.DataSource(),
                new BasicDataSource(),
                Class.forName("oracle.ucp.jdbc.PoolDataSourceImpl") // its source needs more than it brings
                        .asSubclass(DataSource.class)
                        .getDeclaredConstructor()
                        .newInstance());
    }

    @ParameterizedTest
    @MethodSource("pools")
    void thePoolsOfSpringBootAre(DataSource pool) {
        assertThat(PlainPool.is(pool)).isTrue();
    }

    @Test
    void aDataSourceThatMayLookAtItsCallerIsNone() {
        assertThat(PlainPool.is(StrangeConnections.dataSource(() -> {
                    throw new UnsupportedOperationException();
                })))
                .isFalse();
    }

    @Test
    void aSubclassOfAPoolIsNone() {
        assertThat(PlainPool.is(new BasicDataSource() {})).isFalse();
    }
}
