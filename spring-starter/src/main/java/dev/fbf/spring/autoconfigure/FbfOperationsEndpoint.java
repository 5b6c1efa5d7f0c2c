package dev.fbf.spring.autoconfigure;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.transaction.NodeStatus;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Endpoint for one operation. Its callers can find out what users did, and make operations repeatable, so it has an ID of its own, and no
 * access by default.
 */
@WebEndpoint(id = "fbfoperations", defaultAccess = Access.NONE)
record FbfOperationsEndpoint(NodeStatus node) {

    /**
     * Reports an operation.
     *
     * @param key its key, unless {@code id} names it
     * @param caller its caller; null for no particular one
     * @param id its ID, as traces, logs and tables show it
     * @return null, which gets 404, if the scope is not open
     */
    @ReadOperation
    @Nullable Report find(@Selector String scope, @Nullable String key, @Nullable String caller, @Nullable String id) {
        Operation operation = operation(scope, key, caller, id);
        NodeStatus.Known known = node.find(scope, operation);
        if (known == null) {
            return null;
        }
        Refusal state = known.state();
        return new Report(
                operation.id().toString(),
                state == null
                        ? "unknown"
                        : state.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    /** Forgets an applied operation, named as in {@link #find}: the next request applies it again. */
    @DeleteOperation
    WebEndpointResponse<Map<String, String>> forget(
            @Selector String scope, @Nullable String key, @Nullable String caller, @Nullable String id) {
        Operation operation = operation(scope, key, caller, id);
        NodeStatus.Known known = node.find(scope, operation);
        if (known == null || known.state() == null) {
            return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
        }
        if (known.state() != Refusal.APPLIED) {
            return conflict("The operation is " + (known.state() == Refusal.IN_DOUBT ? "in doubt" : "in progress")
                    + ": forget it when it has ended.");
        }
        return node.forget(scope, operation)
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT)
                : conflict("The scope " + scope + " is in filter mode: its filter forgets an operation after the retry"
                        + " window, and cannot delete one. Repeat the operation with another key.");
    }

    private static WebEndpointResponse<Map<String, String>> conflict(String reason) {
        return new WebEndpointResponse<>(Map.of("reason", reason), 409);
    }

    private static Operation operation(
            String scope, @Nullable String key, @Nullable String caller, @Nullable String id) {
        if (key != null && id == null) {
            return new Operation(scope, caller == null ? "" : caller, key, null);
        }
        String digits = id == null ? "" : id.replace("-", "");
        if (key != null || !digits.matches("\\p{XDigit}{32}")) {
            throw new InvalidEndpointRequestException(
                    "key or id is required", "Name the operation by its key, with its caller, or by its id.");
        }
        OperationId named = new OperationId(
                Long.parseUnsignedLong(digits.substring(0, 16), 16), Long.parseUnsignedLong(digits.substring(16), 16));
        return new Operation(named, "", null);
    }

    /**
     * Report on an operation.
     *
     * @param id its ID
     * @param state {@code applied}, {@code in-progress} in this process, {@code in-doubt} or {@code unknown}
     */
    record Report(String id, String state) {}
}
