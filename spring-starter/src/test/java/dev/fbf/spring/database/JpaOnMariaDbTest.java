package dev.fbf.spring.database;

import javax.sql.DataSource;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(MariaDb.Extension.class)
class JpaOnMariaDbTest extends JpaContract {

    private final MariaDb server;

    JpaOnMariaDbTest(MariaDb server) {
        this.server = server;
    }

    @Override
    DataSource open() {
        return server.database("mariadb", "jpa");
    }
}
