package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.harness.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** The Redis servers of the contenders that need one, each with its own; none where there is no such program. */
final class RedisServers implements AutoCloseable {

    /** Of contenders that need none. */
    static final RedisServers NONE = new RedisServers();

    private static final int AT_ONCE = 1_000;

    private final Map<GuardContender, RedisServer> servers = new EnumMap<>(GuardContender.class);

    private RedisServers() {}

    static RedisServers start(String program, Path directory, int connections, Collection<GuardContender> contenders)
            throws IOException, InterruptedException {
        RedisServers started = new RedisServers();
        try {
            for (GuardContender contender : contenders) {
                if (contender.redis().isPresent()) {
                    RedisServer.start(
                                    "bench.guard.redis",
                                    program,
                                    directory.resolve(contender.name()),
                                    connections,
                                    contender.redis().get())
                            .ifPresent(server -> started.servers.put(contender, server));
                }
            }
        } catch (Throwable e) {
            started.close();
            throw e;
        }
        return started;
    }

    /** The key of a counter. */
    static String counter(int counter) {
        return "counter:" + counter;
    }

    /** The values of the first counters in a server; those that are not there are 0. */
    static List<Long> counters(RedisServer server, int count) {
        List<Long> values = new ArrayList<>();
        for (int from = 0; from < count; from += AT_ONCE) {
            String[] keys = IntStream.range(from, Math.min(count, from + AT_ONCE))
                    .mapToObj(RedisServers::counter)
                    .toArray(String[]::new);
            server.client().mget(keys).forEach(value -> values.add(value == null ? 0 : Long.parseLong(value)));
        }
        return values;
    }

    Optional<RedisServer> of(GuardContender contender) {
        return Optional.ofNullable(servers.get(contender));
    }

    /** Whether a contender has what it needs of Redis. */
    boolean suffice(GuardContender contender) {
        return contender.redis().isEmpty() || servers.containsKey(contender);
    }

    /** Empty if there is none. */
    Optional<String> version() {
        return servers.values().stream().findFirst().map(RedisServer::version);
    }

    @Override
    public void close() {
        servers.values().forEach(RedisServer::close);
    }
}
