package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.process.Directories;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;

/** A server and a synchronous standby of it: the server acknowledges a COMMIT when both have it on the disk. */
final class SynchronousPair implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(30);

    private final PostgresServer primary;
    private final PostgresServer standby;

    private SynchronousPair(PostgresServer primary, PostgresServer standby) {
        this.primary = primary;
        this.standby = standby;
    }

    /*
     * Each new data directory is a copy of the same empty one, so that two of them are one cluster: the standby needs no copy of
     * the primary's.
     */

    /**
     * Starts both with empty data directories, on free ports, and waits until the standby is synchronous.
     *
     * @param home of the programs
     * @param directory of the two, which is emptied
     */
    static SynchronousPair start(Path home, Path directory) throws IOException, InterruptedException, SQLException {
        Path first = directory.resolve("primary");
        Path second = directory.resolve("standby");
        for (Path one : new Path[] {first, second}) {
            PostgresServer.stopAnyIn(one);
            Directories.delete(one);
        }
        int port = FixedPorts.free();
        PostgresServer primary = PostgresServer.prepare(home, first, port, "synchronous_standby_names=*");
        PostgresServer standby = PostgresServer.prepare(home, second, FixedPorts.free());
        SynchronousPair pair = new SynchronousPair(primary, standby);
        try {
            Files.createFile(second.resolve("data").resolve("standby.signal"));
            // where it can be changed while the standby runs
            Files.writeString(
                    second.resolve("data").resolve("postgresql.auto.conf"),
                    "primary_conninfo = 'host=127.0.0.1 port=" + port + " user=" + PostgresServer.USER + "'\n");
            primary.start();
            standby.start();
            if (!Waiting.until(pair::isSynchronous, START)) {
                throw new IllegalStateException("The standby is not synchronous after " + START);
            }
            return pair;
        } catch (Throwable e) {
            pair.close();
            throw e;
        }
    }

    private boolean isSynchronous() throws SQLException {
        return primary.number("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1;
    }

    /** Lets the standby get nothing more from the primary: from now on it lags behind. */
    void detachStandby() throws SQLException, InterruptedException {
        standby.execute("ALTER SYSTEM SET primary_conninfo = ''");
        standby.execute("SELECT pg_reload_conf()");
        if (!Waiting.until(() -> standby.number("SELECT count(*) FROM pg_stat_wal_receiver") == 0, START)) {
            throw new IllegalStateException("The standby still receives from the primary after " + START);
        }
    }

    /** Makes the standby the primary; returns when it accepts writes. */
    void promoteStandby() throws SQLException {
        if (!standby.query("SELECT pg_promote()", row -> row.getBoolean(1)).get(0)) {
            throw new IllegalStateException("The standby was not promoted");
        }
    }

    /** The database of whichever of the two is the primary, as PostgreSQL's driver finds it. */
    String url() {
        return "jdbc:postgresql://127.0.0.1:" + primary.port() + ",127.0.0.1:" + standby.port()
                + "/postgres?targetServerType=primary";
    }

    PostgresServer primary() {
        return primary;
    }

    PostgresServer standby() {
        return standby;
    }

    /** Stops both, the primary first: it waits for its standby. */
    @Override
    public void close() throws IOException {
        try {
            primary.close();
        } finally {
            standby.close();
        }
    }
}
