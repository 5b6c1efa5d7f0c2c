package dev.fbf.loadtest.bench.guard;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** The Redis servers of the contenders that need one, each with its own; none where there is no such program. */
final class RedisServers implements AutoCloseable {

    /** Of contenders that need none. */
    static final RedisServers NONE = new RedisServers();

    private final Map<GuardContender, RedisServer> servers = new EnumMap<>(GuardContender.class);

    private RedisServers() {}

    static RedisServers start(String program, Path directory, int connections, Collection<GuardContender> contenders)
            throws IOException, InterruptedException {
        RedisServers started = new RedisServers();
        try {
            for (GuardContender contender : contenders) {
                if (contender.redis().isPresent()) {
                    RedisServer.start(
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
