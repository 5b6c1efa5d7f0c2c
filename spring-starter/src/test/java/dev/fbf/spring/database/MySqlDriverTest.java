package dev.fbf.spring.database;

/** MySQL's driver with a server that is MariaDB. */
class MySqlDriverTest extends MariaDbTest {

    MySqlDriverTest(MariaDb server) {
        super(server);
    }

    @Override
    String driver() {
        return "mysql";
    }
}
