package dev.fbf.spring.cassandra;

import dev.fbf.cassandra.Consistency;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of counters on Cassandra. Every property has a default that works.
 *
 * @param createTable Whether the table is created at startup if it is missing.
 * @param lanes Number of partitions of each scope, 1 to 64. Cannot be changed once the scope has been opened.
 * @param consistency Consistency level of commits and reads.
 * @param requestTimeout Timeout of a request to Cassandra.
 */
@ConfigurationProperties("fbf.cassandra")
public record FbfCassandraProperties(
        @DefaultValue("true") boolean createTable,
        @DefaultValue("1") int lanes,
        @DefaultValue("quorum") Consistency consistency,
        @DefaultValue("2s") Duration requestTimeout) {}
