package dev.fbf.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Configuration properties of fbf. Every property has a default that works.
 *
 * @param enabled Whether operations are applied once. If not, every call is applied, including retries.
 * @param directory Directory for the files of filter mode, used by this process only.
 * @param mode Memory of applied operations: a table that all processes share, or the filter of this process.
 * @param afterPowerFailure Policy for operations in filter mode when the filter may lack the last minute before a power failure.
 * @param expectedOperationsPerSecond Highest steady rate of operations in one scope. Determines the initial size of its filter.
 * @param retryWindow Time after an operation in which its retries may arrive. An operation is remembered for at least this long.
 * @param falsePositiveProbability Share of new operations that may be false positives of the filter. Filter mode does not apply these.
 * @param maxSize Maximum total size of the filter of one scope. If not set, 256MB or, if that is more, six times the filter's initial
 *     size.
 * @param maxClaims Maximum number of operations that are being applied or in doubt, in all scopes of a mode together.
 * @param counters increments that are committed together
 * @param key the idempotency keys that clients send
 * @param fingerprint the comparison of a retry with the first request
 * @param responses the response to the first request, which is kept for its retries
 * @param schema fbf's own tables
 * @param scopes Settings of single scopes, by their names: mode, sizing, max-size, key.require-time, key.max-skew and
 *     fingerprint.enabled.
 */
@ConfigurationProperties("fbf")
public record FbfProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("fbf-data") Path directory,
        @DefaultValue("ledger") Mode mode,
        @DefaultValue("warn") AfterPowerFailure afterPowerFailure,
        @DefaultValue("1000") double expectedOperationsPerSecond,
        @DefaultValue("10m") Duration retryWindow,
        @DefaultValue("1e-9") double falsePositiveProbability,
        @Nullable DataSize maxSize,
        @DefaultValue("4096") int maxClaims,
        @DefaultValue Counters counters,
        @DefaultValue Key key,
        @DefaultValue Fingerprint fingerprint,
        @DefaultValue Responses responses,
        @DefaultValue Schema schema,
        @DefaultValue Map<String, Scope> scopes) {

    /** Policy for operations in filter mode after a power failure. */
    public enum AfterPowerFailure {
        /** Applies operations and logs a warning: a retry of an operation that the filter lacks is applied again. */
        WARN,
        /** Refuses all operations until a retry window has passed. */
        HOLD_BACK
    }

    /**
     * Increments that are committed together.
     *
     * @param timeout Longest wait of an increment to be committed together with others.
     */
    public record Counters(@DefaultValue("5s") Duration timeout) {}

    /**
     * The idempotency keys that clients send.
     *
     * @param header Name of the header with a request's key.
     * @param requireTime Whether a key must contain its time, as a UUID of version 7 or a ULID does.
     * @param maxSkew Allowed clock difference. If not set, a tenth of the retry window, but at most one minute.
     */
    public record Key(
            @DefaultValue("Idempotency-Key") String header,
            @DefaultValue("false") boolean requireTime,
            @Nullable Duration maxSkew) {}

    /**
     * The comparison of a retry with the first request.
     *
     * @param enabled Whether a retry whose method, path, query or body differ from the first request's is refused.
     * @param ignoredParameters Query and form parameters that are not compared, in addition to _csrf and those of advertisers and tracing:
     *     names, or patterns with an asterisk.
     */
    public record Fingerprint(
            @DefaultValue("true") boolean enabled,
            @DefaultValue List<String> ignoredParameters) {}

    /**
     * The response to the first request, which is kept for its retries.
     *
     * @param enabled Whether retries get the response of the first request.
     * @param maxBody Maximum length of a body that is kept, and of its headers. The retry after a longer response gets the result of
     *     onDuplicate, or 204.
     * @param headers Headers that are kept in addition to Content-Type and Location. Retries do not get the method's other headers.
     */
    public record Responses(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("4KB") DataSize maxBody,

            @DefaultValue({
                "Accept-Ranges",
                "Cache-Control",
                "Content-Disposition",
                "Content-Encoding",
                "Content-Language",
                "Content-Location",
                "Content-Range",
                "Content-Security-Policy",
                "ETag",
                "Expires",
                "Last-Modified",
                "Link",
                "Retry-After",
                "Vary"
            })
            List<String> headers) {

        /** Minimum heap limit. */
        private static final long MEMORY = DataSize.ofMegabytes(16).toBytes();

        /** Minimum number of the longest bodies within the limit. */
        private static final int LONGEST = 64;

        /**
         * Returns the heap limit for responses, in bytes: in ledger mode for responses that are not yet written to their table, otherwise
         * for the latest responses. 16 MB or, if that is more, 64 of the longest bodies; 0 if none are kept.
         */
        public long memory() {
            return enabled ? Math.max(MEMORY, LONGEST * maxBody.toBytes()) : 0;
        }
    }

    /**
     * fbf's own tables.
     *
     * @param migrate Whether fbf creates and updates its tables at startup.
     * @param name Schema for fbf's tables, by its name in the catalog. If not set, the schema in which the search path finds them at
     *     startup.
     */
    public record Schema(
            @DefaultValue("true") boolean migrate, @Nullable String name) {}

    /**
     * Settings of one scope; unset values are inherited from {@code fbf.*}.
     *
     * @param mode the memory of its applied operations
     * @param expectedOperationsPerSecond its highest steady rate
     * @param retryWindow the time after an operation in which its retries may arrive
     * @param falsePositiveProbability the share of new operations that may be false positives
     * @param maxSize the limit of its filter
     * @param key the keys of its operations
     * @param fingerprint the comparison of its requests
     */
    public record Scope(
            @Nullable Mode mode,
            @Nullable Double expectedOperationsPerSecond,
            @Nullable Duration retryWindow,
            @Nullable Double falsePositiveProbability,
            @Nullable DataSize maxSize,
            @DefaultValue ScopeKey key,
            @DefaultValue ScopeFingerprint fingerprint) {}

    /**
     * Settings of the keys of one scope.
     *
     * @param requireTime whether a key must have a time
     * @param maxSkew the allowed clock difference
     */
    public record ScopeKey(
            @Nullable Boolean requireTime, @Nullable Duration maxSkew) {}

    /**
     * The comparison of the requests of one scope.
     *
     * @param enabled whether requests are compared
     */
    public record ScopeFingerprint(@Nullable Boolean enabled) {}
}
