package dev.fbf.client;

import feign.RequestInterceptor;
import feign.RequestTemplate;
import java.net.URI;
import org.springframework.http.HttpMethod;

/**
 * Interceptor that adds an idempotency key to the requests of a Feign client.
 *
 * <p>The key is, in this order, the one already in the request, that of {@link IdempotencyKeys}, or a new one.
 *
 * <p>Feign itself decides on retries: its {@code Retryer} repeats a request after an {@code IOException} and after a response with
 * {@code Retry-After}. It applies all interceptors again to the same {@link RequestTemplate}, which then has the key of the first attempt,
 * so all attempts have the same key. Of {@link FbfClientProperties} only the header and the methods apply: neither the number of attempts
 * nor the deadline limits the {@code Retryer}. Spring Cloud OpenFeign does not retry unless the application defines a {@code Retryer}.
 *
 * <p>Thread-safe.
 */
public final class IdempotentFeignInterceptor implements RequestInterceptor {

    private final FbfClientProperties settings;

    /**
     * Creates the interceptor.
     *
     * @throws org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException if a property is out of its
     *     range
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
