package dev.fbf.loadtest.bench.guard;

import java.nio.file.Path;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** A contender's Spring Boot application, on the servers that all of them share. */
record BenchApplication(GuardContender contender, ConfigurableApplicationContext context) implements AutoCloseable {

    /** Enough for what the benchmark does, so that the filters need not grow while it runs. */
    private static final int OPERATIONS_PER_SECOND = 10_000;

    static BenchApplication start(
            GuardContender contender, DataSource pool, @Nullable RedisServer redis, Path directory) {
        return start(contender, pool, redis, directory, Map.of());
    }

    /** With more properties. */
    static BenchApplication start(
            GuardContender contender,
            DataSource pool,
            @Nullable RedisServer redis,
            Path directory,
            Map<String, Object> properties) {
        return new BenchApplication(
                contender,
                new SpringApplicationBuilder(Auto.class)
                        .web(WebApplicationType.NONE)
                        .properties(
                                "spring.main.banner-mode=off",
                                "fbf.directory=" + directory.resolve(contender.name()),
                                // beside the other contenders, which count in the same tables
                                "fbf.nodes=unchecked",
                                "fbf.expected-operations-per-second=" + OPERATIONS_PER_SECOND)
                        .properties(contender.properties().toArray(String[]::new))
                        .properties(properties)
                        .initializers(context -> register((GenericApplicationContext) context, contender, pool, redis))
                        .run());
    }

    private static void register(
            GenericApplicationContext context, GuardContender contender, DataSource pool, @Nullable RedisServer redis) {
        context.registerBean("pool", DataSource.class, () -> pool, BenchApplication::leaveOpen);
        if (redis != null) {
            context.registerBean("redis", RedisServer.class, () -> redis, BenchApplication::leaveOpen);
        }
        context.registerBean(GuardContender.class, () -> contender);
        context.registerBean(contender.bean());
    }

    private static void leaveOpen(BeanDefinition shared) {
        shared.setDestroyMethodName("");
    }

    Increments increments() {
        return contender.increments(context);
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Auto {}
}
