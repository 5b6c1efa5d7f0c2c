package dev.fbf.spring.database;

import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** H2 on disk, behind a server. */
class H2ServerTest extends H2Test {

    private final Server server;

    H2ServerTest(@TempDir Path files) throws SQLException {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", files.toString())
                .start();
    }

    @AfterAll
    @Override
    void stop() {
        super.stop();
        server.stop();
    }

    @Override
    DataSource open() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setUrl("jdbc:h2:tcp://localhost:" + server.getPort() + "/contract");
        return dataSource;
    }
}
