package dev.fbf.loadtest.harness.sql;

import dev.fbf.process.MariaDbProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** A MariaDB server, as it is installed on this machine, which syncs each COMMIT. */
public final class MariaDbServer implements SqlServer {

    private static final String DATABASE = "fbf";

    /** Excludes the database's own connection, and connections that are ending. */
    private static final String OTHERS =
            " FROM information_schema.processlist WHERE id <> connection_id() AND user = 'root' AND command <> 'Killed'";

    private static final String OPEN = "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx";

    private final MariaDbProcess process;

    private MariaDbServer(MariaDbProcess process) {
        this.process = process;
    }

    /** Starts a server with an empty data directory, on a free port. */
    public static MariaDbServer startNew(Path directory) throws IOException, InterruptedException, SQLException {
        MariaDbServer server = new MariaDbServer(
                MariaDbProcess.startNew(directory, "--max-connections=300", "--innodb-buffer-pool-size=128M"));
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE IF NOT EXISTS " + DATABASE);
        }
        return server;
    }

    @Override
    public void start() throws IOException, InterruptedException {
        process.start();
    }

    @Override
    public void awaitReady() throws InterruptedException {
        process.awaitReady();
    }

    /** The processor time that the server has used; zero where the machine does not tell. */
    public Duration processorTime() {
        return process.processorTime();
    }

    @Override
    public void kill() {
        process.kill();
    }

    /** Rolls back what is open. */
    @Override
    public void stopNow() {
        process.stop();
    }

    @Override
    public List<Long> backends() throws SQLException {
        return query("SELECT id" + OTHERS + " ORDER BY id NOT IN (" + OPEN + "), id", row -> row.getLong(1));
    }

    /** Interrupts the statement of a connection. */
    @Override
    public boolean killBackend(long id) throws SQLException {
        return kill("QUERY " + id);
    }

    @Override
    public boolean terminateBackend(long id) throws SQLException {
        return kill("CONNECTION " + id);
    }

    private boolean kill(String what) throws SQLException {
        try {
            execute("KILL HARD " + what);
            return true;
        } catch (SQLSyntaxErrorException e) {
            throw e;
        } catch (SQLException e) {
            return false; // it has ended by itself
        }
    }

    @Override
    public long openTransactions() throws SQLException {
        return number(
                "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_mysql_thread_id <> connection_id()");
    }

    @Override
    public String version() throws SQLException {
        return "MariaDB " + query("SELECT version()", row -> row.getString(1)).get(0);
    }

    @Override
    public Connection connect() throws SQLException {
        return connect(DATABASE);
    }

    @Override
    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(
                process.url("mariadb", database) + "?connectTimeout=5000&socketTimeout=120000", user(), "");
    }

    @Override
    public String url() {
        return process.url("mariadb", DATABASE);
    }

    /** Each statement is a message with its text, which the proxy reads. */
    @Override
    public String impatientUrl(int through, String database) {
        return "jdbc:mariadb://127.0.0.1:" + through + "/" + database
                + "?connectTimeout=2000&socketTimeout=3000&useBulkStmtsForInserts=false";
    }

    @Override
    public String database() {
        return DATABASE;
    }

    @Override
    public String user() {
        return "root";
    }

    @Override
    public int port() {
        return process.port();
    }

    @Override
    public void close() {
        process.close();
    }
}
