package dev.fbf.spring.cassandra;

import dev.fbf.cassandra.Consistency;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** What can be set about counters on Cassandra. Every property has a default that works. */
@ConfigurationProperties("fbf.cassandra")
public class FbfCassandraProperties {

    /** Whether the table is created at start if it is missing. */
    private boolean createTable = true;

    /** How many partitions each scope has, 1 to 64. Cannot be changed once a scope has counted. */
    private int lanes = 1;

    /** Replicas that commit and read. */
    private Consistency consistency = Consistency.QUORUM;

    /** How long one request to Cassandra may take. */
    private Duration requestTimeout = Duration.ofSeconds(2);

    /** How many counters' values are kept in memory, in each scope. */
    private int cachedCounters = 100_000;

    public boolean isCreateTable() {
        return createTable;
    }

    public void setCreateTable(boolean createTable) {
        this.createTable = createTable;
    }

    public int getLanes() {
        return lanes;
    }

    public void setLanes(int lanes) {
        this.lanes = lanes;
    }

    public Consistency getConsistency() {
        return consistency;
    }

    public void setConsistency(Consistency consistency) {
        this.consistency = consistency;
    }

    public Duration getRequestTimeout() {
        return requestTimeout;
    }

    public void setRequestTimeout(Duration requestTimeout) {
        this.requestTimeout = requestTimeout;
    }

    public int getCachedCounters() {
        return cachedCounters;
    }

    public void setCachedCounters(int cachedCounters) {
        this.cachedCounters = cachedCounters;
    }
}
