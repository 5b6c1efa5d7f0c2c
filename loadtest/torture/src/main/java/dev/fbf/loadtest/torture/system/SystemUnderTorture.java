package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.torture.client.Fleet;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** Applications at work, their database, and the proxies between them and before them. */
interface SystemUnderTorture extends AutoCloseable {

    /** Where clients send their requests. */
    int port();

    /** Lets a fault happen; returns when the system is itself again, as far as the fault is concerned. */
    void happen(Schedule.Event event, Fleet fleet) throws IOException, InterruptedException, SQLException;

    /** Ends every fault that goes on, and sees to it that all applications are ready. */
    void heal() throws IOException, InterruptedException, SQLException;

    /** Waits until nothing is under way, gives a verdict what was applied, lets it conclude, and reports figures of its own. */
    void read(Verdict verdict) throws InterruptedException, SQLException;

    default List<Target> targets() {
        return List.of();
    }

    /** The servers and their versions. */
    Map<String, String> servers() throws SQLException;

    @Override
    void close() throws IOException;
}
