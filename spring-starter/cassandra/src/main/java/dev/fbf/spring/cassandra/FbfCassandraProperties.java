package dev.fbf.spring.cassandra;

import dev.fbf.cassandra.Consistency;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What can be set about counters on Cassandra. Every property has a default that works.
 *
 * @param createTable Whether the table is created at start if it is missing.
 * @param lanes How many partitions each scope has, 1 to 64. Cannot be changed once a scope has counted.
 * @param consistency Replicas that commit and read.
 * @param requestTimeout How long one request to Cassandra may take.
 */
@ConfigurationProperties("fbf.cassandra")
public record FbfCassandraProperties(
        @DefaultValue("true") boolean createTable,
        @DefaultValue("1") int lanes,
        @DefaultValue("quorum") Consistency consistency,
        @DefaultValue("2s") Duration requestTimeout) {}
