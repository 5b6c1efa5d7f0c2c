package dev.fbf.spring;

import dev.fbf.core.filter.FilterSizing;
import dev.fbf.core.guard.AfterLostCommits;
import dev.fbf.core.guard.AfterPowerFailure;
import dev.fbf.core.guard.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/** What can be set about fbf. Every property has a default that works. */
@ConfigurationProperties("fbf")
public class FbfProperties {

    /** Whether methods annotated with @IdempotentIncrement are guarded. */
    private boolean enabled = true;

    /** Directory of the filters' files in filter mode, for this process alone. */
    private Path directory = Path.of("fbf-data");

    /** Where applied operations are remembered: in a table that all processes share, or in the filter of this process. */
    private Mode mode = Mode.LEDGER;

    /** Which nodes apply the operations of a scope. A node that must not do so beside another one does not start. */
    private Nodes nodes = Nodes.SINGLE;

    /** What applied operations survive in filter mode: the death of this process, or that of its host as well. */
    private Durability durability = Durability.PROCESS;

    /** What becomes of new operations in filter mode when a power failure may have cost the filter its last seconds. */
    private AfterPowerFailure afterPowerFailure = AfterPowerFailure.WARN;

    /** What to do with retries of applied operations in filter mode when the database has forgotten commits, as a standby that lagged has. */
    private AfterLostCommits afterLostCommits = AfterLostCommits.REFUSE;

    /** Highest steady rate of operations in one scope. Decides how large its filter is. */
    private double expectedOperationsPerSecond = FilterSizing.DEFAULT.expectedOperationsPerSecond();

    /** How long after an operation its retries may come. An operation is remembered for at least this long. */
    private Duration retryWindow = FilterSizing.DEFAULT.retryWindow();

    /** Share of new operations that may be false positives, which are not applied. */
    private double falsePositiveProbability = FilterSizing.DEFAULT.falsePositiveProbability();

    /**
     * What the filter files of one scope may take together. If not set, 256MB, or six times what the filter takes from
     * the start if that is more.
     */
    private @Nullable DataSize maxSize;

    /** What a filter does when the load is not the expected one. Whatever it does, it never forgets early. */
    private Adaptation adaptation = Adaptation.ARENAS;

    /** How many operations may be applied at the same time. One that is in doubt counts until it is settled. */
    private int maxClaims = 4096;

    /** Longest body that a guarded method reads itself. It is read before, so that no claim and no connection waits for a client. */
    private DataSize maxStreamedBody = DataSize.ofMegabytes(100);

    /** How long a request waits for the database to tell the outcome of an operation in doubt. */
    private Duration settleTimeout = Duration.ofSeconds(2);

    /** What clients are told in the Retry-After header, rounded up to whole seconds, unless it is known to take longer. */
    private Duration retryAfter = Duration.ofSeconds(1);

    /** How long a request waits for another one that is applying the same operation, if its method says so. */
    private Duration inProgressTimeout = Duration.ofSeconds(5);

    private final Counters counters = new Counters();

    private final Key key = new Key();

    private final Fingerprint fingerprint = new Fingerprint();

    private final Responses responses = new Responses();

    private final Policy policy = new Policy();

    private final Schema schema = new Schema();

    /** What differs in single scopes, by their names: mode, sizing, adaptation, max-size, key.require-time and key.max-skew. */
    private final Map<String, Scope> scopes = new LinkedHashMap<>();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Path getDirectory() {
        return directory;
    }

    public void setDirectory(Path directory) {
        this.directory = directory;
    }

    public Mode getMode() {
        return mode;
    }

    public void setMode(Mode mode) {
        this.mode = mode;
    }

    public Nodes getNodes() {
        return nodes;
    }

    public void setNodes(Nodes nodes) {
        this.nodes = nodes;
    }

    public Durability getDurability() {
        return durability;
    }

    public void setDurability(Durability durability) {
        this.durability = durability;
    }

    public AfterPowerFailure getAfterPowerFailure() {
        return afterPowerFailure;
    }

    public void setAfterPowerFailure(AfterPowerFailure afterPowerFailure) {
        this.afterPowerFailure = afterPowerFailure;
    }

    public AfterLostCommits getAfterLostCommits() {
        return afterLostCommits;
    }

    public void setAfterLostCommits(AfterLostCommits afterLostCommits) {
        this.afterLostCommits = afterLostCommits;
    }

    public double getExpectedOperationsPerSecond() {
        return expectedOperationsPerSecond;
    }

    public void setExpectedOperationsPerSecond(double expectedOperationsPerSecond) {
        this.expectedOperationsPerSecond = expectedOperationsPerSecond;
    }

    public Duration getRetryWindow() {
        return retryWindow;
    }

    public void setRetryWindow(Duration retryWindow) {
        this.retryWindow = retryWindow;
    }

    public double getFalsePositiveProbability() {
        return falsePositiveProbability;
    }

    public void setFalsePositiveProbability(double falsePositiveProbability) {
        this.falsePositiveProbability = falsePositiveProbability;
    }

    public @Nullable DataSize getMaxSize() {
        return maxSize;
    }

    public void setMaxSize(@Nullable DataSize maxSize) {
        this.maxSize = maxSize;
    }

    public Adaptation getAdaptation() {
        return adaptation;
    }

    public void setAdaptation(Adaptation adaptation) {
        this.adaptation = adaptation;
    }

    public int getMaxClaims() {
        return maxClaims;
    }

    public void setMaxClaims(int maxClaims) {
        this.maxClaims = maxClaims;
    }

    public DataSize getMaxStreamedBody() {
        return maxStreamedBody;
    }

    public void setMaxStreamedBody(DataSize maxStreamedBody) {
        this.maxStreamedBody = maxStreamedBody;
    }

    public Duration getSettleTimeout() {
        return settleTimeout;
    }

    public void setSettleTimeout(Duration settleTimeout) {
        this.settleTimeout = settleTimeout;
    }

    public Duration getRetryAfter() {
        return retryAfter;
    }

    public void setRetryAfter(Duration retryAfter) {
        this.retryAfter = retryAfter;
    }

    public Duration getInProgressTimeout() {
        return inProgressTimeout;
    }

    public void setInProgressTimeout(Duration inProgressTimeout) {
        this.inProgressTimeout = inProgressTimeout;
    }

    public Counters getCounters() {
        return counters;
    }

    public Key getKey() {
        return key;
    }

    public Fingerprint getFingerprint() {
        return fingerprint;
    }

    public Responses getResponses() {
        return responses;
    }

    public Policy getPolicy() {
        return policy;
    }

    public Schema getSchema() {
        return schema;
    }

    public Map<String, Scope> getScopes() {
        return scopes;
    }

    /** The idempotency keys that clients send. */
    public static class Key {

        /** Name of the header that a request's key comes in. */
        private String header = "Idempotency-Key";

        /** Whether a key in the header must be a structured-field string, in quotes. */
        private boolean strict;

        /** Whether a key must carry its time, as a UUID of version 7 or a ULID. */
        private boolean requireTime;

        /** How far clocks may differ. A tenth of the retry window if not set, and at most one minute. */
        private @Nullable Duration maxSkew;

        public String getHeader() {
            return header;
        }

        public void setHeader(String header) {
            this.header = header;
        }

        public boolean isStrict() {
            return strict;
        }

        public void setStrict(boolean strict) {
            this.strict = strict;
        }

        public boolean isRequireTime() {
            return requireTime;
        }

        public void setRequireTime(boolean requireTime) {
            this.requireTime = requireTime;
        }

        public @Nullable Duration getMaxSkew() {
            return maxSkew;
        }

        public void setMaxSkew(@Nullable Duration maxSkew) {
            this.maxSkew = maxSkew;
        }
    }

    /** The comparison of a retry with the first request. */
    public static class Fingerprint {

        private static final DataSize MAX_BODY = DataSize.ofMegabytes(1);

        /** Whether a retry whose method, path, query or body differ from the first request's is refused. */
        private boolean enabled = true;

        /** How much of a body is compared at most. What lies beyond may differ. */
        private DataSize maxBody = MAX_BODY;

        /**
         * Parameters of the query or of a form that are not compared, because a retry may have other values: names, or patterns of names with
         * an asterisk.
         */
        private List<String> ignoredParameters =
                List.of("_", "_ga", "_gl", "fbclid", "gclid", "msclkid", "traceparent", "tracestate", "utm_*");

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public DataSize getMaxBody() {
            return maxBody;
        }

        public void setMaxBody(DataSize maxBody) {
            this.maxBody = maxBody;
        }

        public List<String> getIgnoredParameters() {
            return ignoredParameters;
        }

        public void setIgnoredParameters(List<String> ignoredParameters) {
            this.ignoredParameters = ignoredParameters;
        }
    }

    /** The response to the first request, which the ledger keeps for its retries. */
    public static class Responses {

        /** Whether retries get the response of the first request. */
        private boolean enabled = true;

        /** Longest body that is kept. The retry of a request with a longer response is left to the onDuplicate method. */
        private DataSize maxBody = DataSize.ofKilobytes(4);

        /** Heap that responses may take: in filter mode the latest; in ledger mode those not yet written to their table. */
        private DataSize maxMemory = DataSize.ofMegabytes(16);

        /** Headers that are kept, beside Content-Type and Content-Length. Retries do not get any others of the method. */
        private List<String> headers = List.of(
                "Accept-Ranges",
                "Cache-Control",
                "Content-Disposition",
                "Content-Encoding",
                "Content-Language",
                "Content-Location",
                "Content-Range",
                "ETag",
                "Expires",
                "Last-Modified",
                "Link",
                "Location",
                "Retry-After",
                "Vary");

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public DataSize getMaxBody() {
            return maxBody;
        }

        public void setMaxBody(DataSize maxBody) {
            this.maxBody = maxBody;
        }

        public List<String> getHeaders() {
            return headers;
        }

        public void setHeaders(List<String> headers) {
            this.headers = headers;
        }

        public DataSize getMaxMemory() {
            return maxMemory;
        }

        public void setMaxMemory(DataSize maxMemory) {
            this.maxMemory = maxMemory;
        }
    }

    /** The document that tells clients what they may rely on. */
    public static class Counters {

        /** How long an increment waits to be committed together with others. */
        private Duration timeout = Duration.ofSeconds(5);

        public Duration getTimeout() {
            return timeout;
        }

        public void setTimeout(Duration timeout) {
            this.timeout = timeout;
        }
    }

    public static class Policy {

        /** Path that the policy is served under by default. */
        public static final String PATH = "/idempotency-policy";

        /** Whether the policy is served, to everybody who may read its path, and problems link to it. */
        private boolean enabled;

        /** Path that the policy is served under. */
        private String path = PATH;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public String getPath() {
            return path;
        }

        public void setPath(String path) {
            this.path = path;
        }
    }

    /**
     * What differs in one scope; what is not set is as for all.
     *
     * @param mode where its applied operations are remembered
     * @param expectedOperationsPerSecond its highest steady rate
     * @param retryWindow how long after an operation its retries may come
     * @param falsePositiveProbability the share of new operations that may be taken for a retry
     * @param maxSize what its filter's files may take together
     * @param adaptation what its filter does when the load is not the expected one
     * @param key the keys of its operations
     */
    public record Scope(
            @Nullable Mode mode,
            @Nullable Double expectedOperationsPerSecond,
            @Nullable Duration retryWindow,
            @Nullable Double falsePositiveProbability,
            @Nullable DataSize maxSize,
            @Nullable Adaptation adaptation,
            @DefaultValue ScopeKey key) {}

    /**
     * What differs in the keys of one scope.
     *
     * @param requireTime whether a key must carry its time
     * @param maxSkew how far clocks may differ
     */
    public record ScopeKey(
            @Nullable Boolean requireTime, @Nullable Duration maxSkew) {}

    /** fbf's own tables. */
    public static class Schema {

        /** Whether fbf's own tables are made and updated at start. */
        private boolean migrate = true;

        /** Schema of fbf's own tables, as the catalog names it. If not set, the one where the search path has them at start. */
        private @Nullable String name;

        public boolean isMigrate() {
            return migrate;
        }

        public void setMigrate(boolean migrate) {
            this.migrate = migrate;
        }

        public @Nullable String getName() {
            return name;
        }

        public void setName(@Nullable String name) {
            this.name = name;
        }
    }
}
