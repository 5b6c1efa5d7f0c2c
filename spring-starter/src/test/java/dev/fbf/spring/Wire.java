package dev.fbf.spring;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A TCP proxy before a database: notes what passes, and cuts a connection at a COMMIT, in whichever message that is sent. Its data source
 * opens a connection for each transaction: the driver sends the text of a statement once for each connection. Thread-safe.
 */
public final class Wire implements AutoCloseable {

    public enum Cut {
        /** The server reads no COMMIT, and rolls back. */
        BEFORE_IT,

        /** The server commits, and its response is lost. */
        AFTER_IT
    }

    /** ReadyForQuery of a server that is in no transaction. */
    private static final String IDLE = "Z\0\0\0\5I";

    private static final String ERROR = "SERROR\0";

    private final Queue<String> sent = new ConcurrentLinkedQueue<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final AtomicReference<@Nullable Cut> next = new AtomicReference<>();
    private volatile String committing = "COMMIT";
    private volatile boolean away;

    private Wire(int target) throws IOException {
        this.target = target;
    }

    public static Wire to(int target) throws IOException {
        Wire cutter = new Wire(target);
        daemon(cutter::accept);
        return cutter;
    }

    public DataSource dataSource(String database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl("jdbc:postgresql://localhost:" + door.getLocalPort() + "/" + database + "?user=postgres");
        return dataSource;
    }

    /**
     * Cuts the next COMMIT of a transaction that counts.
     *
     * @param text part of the message that commits: {@code COMMIT}, or part of a statement that is its own transaction
     */
    public void cutNext(Cut cut, String text) {
        committing = text;
        next.set(cut);
    }

    /** Cuts the next COMMIT of a transaction that counts, and lets nobody connect again until {@link #comeBack}. */
    public void cutNextAndGoAway(Cut cut, String text) {
        away = true;
        cutNext(cut, text);
    }

    /** Closes each new connection until {@link #comeBack}. */
    public void goAway() {
        away = true;
    }

    /** What clients have sent since this was last called, write by write. */
    public List<String> sent() {
        List<String> all = new ArrayList<>();
        for (String message = sent.poll(); message != null; message = sent.poll()) {
            all.add(message);
        }
        return all;
    }

    /** What the server has said of statements that have failed, and has in its log. */
    public List<String> errors() {
        return List.copyOf(errors);
    }

    public boolean hasCut() {
        return next.get() == null;
    }

    public void comeBack() {
        away = false;
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                if (away && hasCut()) {
                    client.close();
                } else {
                    new Passage(client, new Socket(InetAddress.getLoopbackAddress(), target)).open();
                }
            } catch (IOException e) {
                // closed, or the database is
            }
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "wire");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        door.close();
    }

    private final class Passage {

        private final Socket client;
        private final Socket server;

        /** The server is to commit, and its client does not hear of it. */
        private volatile boolean deaf;

        /** Its transaction counts; the others are of threads in the background. */
        private boolean counts;

        Passage(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void open() {
            daemon(() -> pump(client, server));
            daemon(() -> pump(server, client));
        }

        private void pump(Socket from, Socket to) {
            byte[] chunk = new byte[64 * 1024];
            try (from;
                    to) {
                for (int length = from.getInputStream().read(chunk);
                        length >= 0;
                        length = from.getInputStream().read(chunk)) {
                    String messages = new String(chunk, 0, length, ISO_8859_1);
                    if (from == client) {
                        sent.add(messages);
                    } else if (messages.contains(ERROR)) {
                        errors.add(messages);
                    }
                    if (from == client ? isCut(messages) : deaf && messages.contains(IDLE)) {
                        return;
                    }
                    if (from == client || !deaf) {
                        to.getOutputStream().write(chunk, 0, length);
                    }
                }
            } catch (IOException e) {
                // both ends are closed
            }
        }

        private boolean isCut(String messages) {
            counts |= messages.contains("UPDATE counted") || messages.contains("fbf_counter");
            if (!counts || !messages.contains(committing)) {
                return false;
            }
            Cut cut = next.getAndSet(null);
            deaf |= cut == Cut.AFTER_IT;
            return cut == Cut.BEFORE_IT;
        }
    }
}
