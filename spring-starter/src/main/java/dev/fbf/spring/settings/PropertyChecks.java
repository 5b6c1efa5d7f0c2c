package dev.fbf.spring.settings;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.FbfProperties;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/** Refuses properties that cannot hold, by their names. */
public final class PropertyChecks {

    /** A token of RFC 9110, section 5.6.2. */
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Set<String> NOT_KEPT =
            new TreeSet<>(Set.of("set-cookie", "content-length", "transfer-encoding", "connection", "date"));

    private PropertyChecks() {}

    /**
     * Checks the ranges.
     *
     * @throws InvalidConfigurationPropertyValueException if a value is out of its range
     */
    public static void checkAll(FbfProperties properties) {
        ScopeSettings.ofAll(properties).validate();
        properties
                .getScopes()
                .keySet()
                .forEach(scope -> ScopeSettings.of(scope, properties).validate());
        check("fbf.max-claims", properties.getMaxClaims(), properties.getMaxClaims() >= 1, "must be at least 1");
        check(
                "fbf.settle-timeout",
                properties.getSettleTimeout(),
                !properties.getSettleTimeout().isNegative(),
                "must not be negative");
        check(
                "fbf.in-progress-timeout",
                properties.getInProgressTimeout(),
                !properties.getInProgressTimeout().isNegative(),
                "must not be negative");
        Duration timeout = properties.getCounters().getTimeout();
        check("fbf.counters.timeout", timeout, !timeout.isNegative() && !timeout.isZero(), "must be more than 0");
        String path = properties.getPolicy().getPath();
        check("fbf.policy.path", path, path.startsWith("/"), "must begin with a slash");
        check(
                "fbf.retry-after",
                properties.getRetryAfter(),
                !properties.getRetryAfter().isNegative(),
                "must not be negative");
        checkSchema(properties.getSchema());
        check(
                "fbf.max-streamed-body",
                properties.getMaxStreamedBody(),
                !properties.getMaxStreamedBody().isNegative(),
                "must not be negative");
        checkSize("fbf.fingerprint.max-body", properties.getFingerprint().getMaxBody());
        checkSize("fbf.responses.max-body", properties.getResponses().getMaxBody());
        checkSize("fbf.responses.max-memory", properties.getResponses().getMaxMemory());
        for (String kept : properties.getResponses().getHeaders()) {
            check(
                    "fbf.responses.headers",
                    kept,
                    HEADER_NAME.matcher(kept).matches() && !NOT_KEPT.contains(kept.toLowerCase(Locale.ROOT)),
                    "must be names of headers, and none of " + NOT_KEPT
                            + ": cookies belong to one response, and the server sets the others");
        }
        String header = properties.getKey().getHeader();
        check(
                "fbf.key.header",
                header,
                HEADER_NAME.matcher(header).matches(),
                "must be the name of a header, such as Idempotency-Key");
    }

    /**
     * Checks the name of the schema.
     *
     * @throws InvalidConfigurationPropertyValueException if no schema can have it
     */
    public static void checkSchema(FbfProperties.Schema schema) {
        String objection = schema.getName() == null ? null : FbfSchema.objectionTo(schema.getName());
        check(
                "fbf.schema.name",
                schema.getName(),
                objection == null,
                objection + "; leave it out for the schema that the search path leads to");
    }

    /**
     * Refuses what is set for scopes and nobody would read, such as that of a name with dots that is not in brackets.
     *
     * @throws UnknownScopePropertyException naming it
     */
    public static void requireKnownScopeProperties(Environment environment) {
        try {
            Binder.get(environment)
                    .bind(
                            "fbf.scopes",
                            Bindable.mapOf(String.class, FbfProperties.Scope.class),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
        } catch (BindException e) {
            if (e.getCause() instanceof UnboundConfigurationPropertiesException unknown) {
                throw new UnknownScopePropertyException(unknown.getUnboundProperties(), e);
            }
            throw e;
        }
    }

    private static void checkSize(String property, DataSize size) {
        check(
                property,
                size,
                size.toBytes() >= 0 && size.toBytes() <= Integer.MAX_VALUE,
                "must be from 0 to " + Integer.MAX_VALUE + " bytes");
    }

    private static void check(String property, @Nullable Object value, boolean holds, String why) {
        if (!holds) {
            throw new InvalidConfigurationPropertyValueException(property, value, why);
        }
    }
}
