package dev.fbf.client;

import feign.RequestInterceptor;
import feign.RequestTemplate;
import java.net.URI;
import org.springframework.http.HttpMethod;

/**
 * Gives the requests of a Feign client an idempotency key.
 *
 * <p>The key is the one that the request carries already, or else that of {@link IdempotencyKeys}, or else a new one.
 *
 * <p>Feign itself decides about retries: its {@code Retryer} sends a request again after an {@code IOException} and after
 * a response with {@code Retry-After}. It applies all interceptors again to the same {@link RequestTemplate}, which has the
 * key of the first try by then, so all tries carry the same key. Of {@link FbfClientProperties} only the header and the
 * methods matter here: neither the number of tries nor the deadline bounds that {@code Retryer}. Spring Cloud OpenFeign retries nothing unless it is given a {@code Retryer}.
 *
 * <p>Thread-safe.
 */
public final class IdempotentFeignInterceptor implements RequestInterceptor {

    private final FbfClientProperties settings;

    /**
     * Takes the properties.
     *
     * @throws org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException if one is out
     *     of its range
     */
    public IdempotentFeignInterceptor(FbfClientProperties properties) {
        settings = properties.checked();
    }

    @Override
    public void apply(RequestTemplate template) {
        if (!settings.methods().contains(HttpMethod.valueOf(template.method()))
                || template.headers().containsKey(settings.header())) {
            return;
        }
        IdempotencyKey key = IdempotencyKeys.currentOrNew();
        key.useFor(template.method(), URI.create(template.url()));
        template.headerLiteral(settings.header(), key.fieldValue());
    }
}
