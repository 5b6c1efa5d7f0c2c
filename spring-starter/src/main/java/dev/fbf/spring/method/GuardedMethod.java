package dev.fbf.spring.method;

import dev.fbf.spring.operation.OperationSettings;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;

/**
 * Annotated method, read and validated.
 *
 * @param method the method of the bean's class
 * @param settings the settings of its operations
 * @param key the source of the key
 * @param caller the source of the caller's name
 * @param keyRequired whether a call without a key is refused
 * @param onDuplicate the method that responds to a retry if the first response was not kept; null if there is none
 * @param handlesRequests whether the method belongs to a controller and has a request mapping
 * @param keepsResponse whether the response to its request is kept
 */
public record GuardedMethod(
        Method method,
        OperationSettings settings,
        ValueSource key,
        ValueSource caller,
        boolean keyRequired,
        @Nullable Method onDuplicate,
        boolean handlesRequests,
        boolean keepsResponse) {

    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    public String scope() {
        return settings.scope();
    }

    /** Returns whether the key comes in the HTTP header. */
    public boolean hasKeyInHeader() {
        return key == ValueSource.REQUEST;
    }

    /** Returns whether an expression or a resolver of the application names the caller. */
    boolean namesCaller() {
        return caller != ValueSource.REQUEST && caller != ValueSource.NONE;
    }

    /** Returns whether the login is part of the operation's name. */
    public boolean belongsToLogin() {
        return caller == ValueSource.REQUEST;
    }

    /** Returns the names of the parameters; null if the class was compiled without them, and every #name would silently be null. */
    @Nullable List<String> parameterNames() {
        return parameterNames(method);
    }

    /** Returns the index of the parameter if an expression is only a parameter's name, as most are. */
    static Optional<Integer> parameter(Expression expression, Method method) {
        List<String> names = parameterNames(method);
        for (int i = 0; i < method.getParameterCount(); i++) {
            List<String> itsNames =
                    names == null ? List.of("#p" + i, "#a" + i) : List.of("#p" + i, "#a" + i, "#" + names.get(i));
            if (itsNames.contains(expression.getExpressionString())) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }

    static @Nullable List<String> parameterNames(Method method) {
        @Nullable String @Nullable [] names = PARAMETER_NAMES.getParameterNames(method);
        if (names == null) {
            return null;
        }
        List<String> known = Stream.of(names).filter(Objects::nonNull).toList();
        return known.size() == names.length ? known : null;
    }
}
