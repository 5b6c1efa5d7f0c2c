package dev.fbf.process.cassandra;

import dev.fbf.process.ChildProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node, which is killed, frozen and started again on its data. Not thread-safe. */
public final class CassandraNode {

    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration STOP = Duration.ofMinutes(1);
    private static final int CONNECT_MILLIS = 500;

    /** Packages of JDK 17 that Cassandra's own start script exports to it. */
    private static final List<String> EXPORTS = words("java.base/jdk.internal.misc java.base/java.lang.ref"
            + " java.management.rmi/com.sun.jmx.remote.internal.rmi java.rmi/sun.rmi.registry"
            + " java.rmi/sun.rmi.server java.sql/java.sql jdk.unsupported/sun.misc");

    private static final List<String> OPENS =
            words("java.base/java.io java.base/java.lang java.base/java.lang.module java.base/java.nio"
                    + " java.base/java.util java.base/java.util.concurrent java.base/java.util.concurrent.atomic"
                    + " java.base/jdk.internal.loader java.base/jdk.internal.math java.base/jdk.internal.module"
                    + " java.base/jdk.internal.ref java.base/jdk.internal.reflect java.base/jdk.internal.util.jar"
                    + " java.base/sun.nio.ch jdk.management/com.sun.management.internal");

    private final Path java;
    private final String classPath;
    private final Path directory;
    private final List<String> jvm;
    private final InetSocketAddress address;
    private @Nullable ChildProcess process;

    CassandraNode(Path java, String classPath, Path directory, List<String> jvm, InetSocketAddress address) {
        this.java = java;
        this.classPath = classPath;
        this.directory = directory;
        this.jvm = jvm;
        this.address = address;
    }

    private static List<String> words(String text) {
        return List.of(text.split(" ", -1));
    }

    /** Where drivers connect. */
    public InetSocketAddress address() {
        return address;
    }

    /** Starts it, and does not wait until it is ready. */
    public void begin() throws IOException {
        List<String> command = new ArrayList<>(List.of(java.toString()));
        EXPORTS.forEach(packageName -> command.addAll(List.of("--add-exports", packageName + "=ALL-UNNAMED")));
        OPENS.forEach(packageName -> command.addAll(List.of("--add-opens", packageName + "=ALL-UNNAMED")));
        command.addAll(jvm);
        command.addAll(List.of(
                "-Dcassandra.config="
                        + directory.resolve(CassandraCluster.SETTINGS).toUri(),
                "-Dcassandra.storagedir=" + directory,
                "-Dcassandra.logdir=" + directory,
                "-Dlogback.configurationFile=" + directory.resolve(CassandraCluster.LOGGING),
                "-Dcassandra-foreground=yes",
                "-Dcassandra.ring_delay_ms=2000",
                "-Dcassandra.skip_wait_for_gossip_to_settle=0",
                "-Djava.io.tmpdir=" + directory,
                "-Djdk.attach.allowAttachSelf=true",
                "-Djna.nosys=true"));
        command.addAll(List.of("-classpath", classPath, "org.apache.cassandra.service.CassandraDaemon"));
        process = ChildProcess.logging(directory.resolve("log"), command);
    }

    /** Waits until it takes connections. */
    public void awaitReady() throws InterruptedException {
        running().await(START, this::takesConnections);
    }

    /** Starts it, and waits until it takes connections. */
    public void start() throws IOException, InterruptedException {
        begin();
        awaitReady();
    }

    /** Kills it with SIGKILL. */
    public void kill() {
        running().kill();
        process = null;
    }

    /** Stops it with SIGSTOP: its connections stay open, and nothing comes back through them. */
    public void freeze() throws IOException, InterruptedException {
        running().signal("STOP");
    }

    /** Lets it go on after {@link #freeze}. */
    public void thaw() throws IOException, InterruptedException {
        running().signal("CONT");
    }

    /** Ends it as an operator does: what it has in memory goes to its files. */
    public void stop() {
        running().stop(STOP);
        process = null;
    }

    /** Whether it was started and not killed. */
    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    private ChildProcess running() {
        if (process == null) {
            throw new IllegalStateException("address=" + address + ": is not running");
        }
        return process;
    }

    private boolean takesConnections() {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
