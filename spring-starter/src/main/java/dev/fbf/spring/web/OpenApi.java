package dev.fbf.spring.web;

import dev.fbf.core.DurationText;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.method.GuardedMethod;
import dev.fbf.spring.method.GuardedMethods;
import dev.fbf.spring.method.KeyHeader;
import dev.fbf.spring.operation.HttpRequest;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.Scopes;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.web.method.HandlerMethod;

/** Customizer that adds the key's header and the responses of guarded methods to an OpenAPI description. */
record OpenApi(FbfProperties properties, Scopes scopes, GuardedMethods methods) implements GlobalOperationCustomizer {

    @Override
    public Operation customize(Operation operation, HandlerMethod handler) {
        GuardedMethod method = methods.find(handler.getMethod(), handler.getBeanType());
        MethodParameter argument = KeyedHandlers.keyArgument(handler);
        if (argument != null && (method == null || !method.hasKeyInHeader())) {
            removeArgument(operation, argument);
            describe(operation, !argument.isOptional(), scopes.usual());
        } else if (method != null) {
            describe(operation, method.keyRequired(), method.hasKeyInHeader() ? scopes.of(method.scope()) : null);
        }
        return operation;
    }

    /** Removes the key's argument, which springdoc considers a query parameter. */
    private static void removeArgument(Operation operation, MethodParameter argument) {
        argument.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
        if (operation.getParameters() != null) {
            operation
                    .getParameters()
                    .removeIf(parameter -> "query".equals(parameter.getIn())
                            && Objects.equals(parameter.getName(), argument.getParameterName()));
        }
    }

    /**
     * Adds the header, and the responses of fbf. Any response but 5xx that is documented without fbf can be a replay.
     *
     * @param settings the settings of the key in the header; null if the key comes from elsewhere
     */
    private void describe(Operation operation, boolean required, @Nullable ScopeDefinition settings) {
        if (settings != null) {
            operation.addParametersItem(header(required, settings));
        }
        ApiResponses responses = operation.getResponses() == null ? new ApiResponses() : operation.getResponses();
        responses.forEach((status, response) -> {
            if (!status.startsWith("5")) {
                response.addHeaderObject(
                        HttpRequest.REPLAYED,
                        new Header()
                                .description("\"true\" if the operation was applied before.")
                                .schema(new StringSchema()));
            }
        });
        byStatus(settings != null && settings.comparesRequests())
                .forEach((status, problems) -> responses.computeIfAbsent(status, absent -> response(problems)));
        operation.setResponses(responses);
    }

    private HeaderParameter header(boolean required, ScopeDefinition settings) {
        HeaderParameter header = new HeaderParameter();
        header.setName(properties.key().header());
        header.setRequired(required);
        header.setDescription("Names the operation. Send the same key with every retry, for up to "
                + DurationText.of(settings.retryWindow())
                + ".");
        header.setSchema(new StringSchema().minLength(1).maxLength(KeyHeader.MAX_LENGTH));
        return header;
    }

    private Map<String, List<OperationOutcome>> byStatus(boolean compared) {
        return Stream.of(OperationOutcome.values())
                .filter(outcome -> outcome.problem() != null)
                .filter(outcome -> compared || outcome != OperationOutcome.KEY_REUSED)
                .collect(Collectors.groupingBy(
                        problem -> Integer.toString(problem.status()), TreeMap::new, Collectors.toList()));
    }

    private static ApiResponse response(List<OperationOutcome> problems) {
        Schema<?> schema = new ObjectSchema()
                .addProperty("type", new StringSchema().format("uri"))
                .addProperty("title", new StringSchema())
                .addProperty("status", new IntegerSchema())
                .addProperty("detail", new StringSchema());
        ApiResponse response = new ApiResponse()
                .description(problems.stream().map(OperationOutcome::title).collect(Collectors.joining("; ")))
                .content(new Content().addMediaType("application/problem+json", new MediaType().schema(schema)));
        if (problems.stream().anyMatch(OperationOutcome::isRetryable)) {
            response.addHeaderObject(
                    HttpHeaders.RETRY_AFTER,
                    new Header()
                            .description("Seconds to wait before the same request is sent again.")
                            .schema(new IntegerSchema()));
        }
        return response;
    }
}
