package dev.fbf.spring.declaration;

import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.WhenInProgress;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.springframework.context.event.EventListener;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Reads the annotation of a method and refuses what could not work, before the first request finds out. */
final class GuardedMethodReader {

    /** Methods that return one of these go on after they have returned: nobody could tell when they are done. */
    private static final List<Class<?>> UNFINISHED = Stream.concat(
                    Stream.of(Future.class, CompletionStage.class, Callable.class),
                    Stream.of(
                                    "org.reactivestreams.Publisher",
                                    "org.springframework.web.context.request.async.DeferredResult",
                                    "org.springframework.web.context.request.async.WebAsyncTask",
                                    "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
                                    "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody")
                            .map(GuardedMethodReader::classIfPresent)
                            .filter(Objects::nonNull))
            .collect(Collectors.toUnmodifiableList());

    /** The last parameter of a suspending function. */
    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    private final SpelExpressionParser parser = new SpelExpressionParser();

    GuardedMethod read(Class<?> beanClass, Method method, IdempotentIncrement annotation) {
        requireInterceptable(method);
        requireFinishedWhenItReturns(method);
        return new GuardedMethod(
                method,
                new OperationSettings(
                        OperationSettings.declaredBy(method),
                        scope(beanClass, method, annotation),
                        annotation.transactionManager(),
                        annotation.whenInProgress() == WhenInProgress.WAIT,
                        annotation.sqlOnly(),
                        annotation.key().isEmpty()),
                expression(method, "key", annotation.key(), "#operationId"),
                expression(method, "caller", annotation.caller(), "#tenant"),
                annotation.required(),
                onDuplicate(beanClass, method, annotation),
                annotation.keepRefusals(),
                AnnotatedElementUtils.hasAnnotation(beanClass, Controller.class)
                        && !AnnotatedElementUtils.hasAnnotation(method, EventListener.class)
                        && !AnnotatedElementUtils.hasAnnotation(method, Scheduled.class));
    }

    private static void requireInterceptable(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isFinal(modifiers) || Modifier.isStatic(modifiers)) {
            throw new GuardedMethodException(
                    method,
                    "a private, final or static method cannot be intercepted, so it would not be guarded.",
                    "Make the method overridable, or guard one that calls it from another bean.");
        }
    }

    private static void requireFinishedWhenItReturns(Method method) {
        ResolvableType type = ResolvableType.forMethodReturnType(method);
        for (Class<?> unfinished : UNFINISHED) {
            // itself, or the body of an HTTP response
            if (unfinished.isAssignableFrom(method.getReturnType())
                    || Stream.of(type.getGenerics())
                            .anyMatch(body -> unfinished.isAssignableFrom(body.resolve(Object.class)))) {
                throw unfinished(method, "it returns a " + unfinished.getSimpleName());
            }
        }
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION)) {
            throw unfinished(method, "it is a suspending function of Kotlin");
        }
    }

    private static GuardedMethodException unfinished(Method method, String because) {
        return new GuardedMethodException(
                method,
                because + ", so its transaction would be over before its work is.",
                "Return the result itself; virtual threads make waiting cheap.");
    }

    private static String scope(Class<?> beanClass, Method method, IdempotentIncrement annotation) {
        String scope = annotation.scope().isEmpty()
                ? ClassUtils.getQualifiedMethodName(method, beanClass).replace('$', '.')
                : annotation.scope();
        if (!FilterDirectory.SCOPE.matcher(scope).matches()) {
            throw new GuardedMethodException(
                    method,
                    "scope=" + scope + " does not match " + FilterDirectory.SCOPE + ".",
                    "Name the scope with 1 to 200 letters, digits, dots, hyphens or underscores.");
        }
        return scope;
    }

    private @Nullable Expression expression(Method method, String attribute, String text, String example) {
        if (text.isEmpty()) {
            return null;
        }
        SpelExpression expression;
        try {
            expression = parser.parseRaw(text);
        } catch (ParseException e) {
            throw new GuardedMethodException(
                    method,
                    attribute + "=" + text + " is no SpEL expression: " + e.getMessage() + ".",
                    "Write an expression over the parameters, such as " + example + ".");
        }
        requireKnownVariables(expression, method, attribute);
        return expression;
    }

    /** SpEL takes a variable that there is not for null: a misspelt key would let every call through unguarded. */
    private static void requireKnownVariables(SpelExpression expression, Method method, String attribute) {
        List<String> names = GuardedMethod.parameterNames(method);
        if (names == null) {
            return;
        }
        Set<String> known = new HashSet<>(Set.of("#root", "#this"));
        for (int i = 0; i < names.size(); i++) {
            known.addAll(List.of("#" + names.get(i), "#p" + i, "#a" + i));
        }
        variables(expression.getAST())
                .filter(variable -> !known.contains(variable))
                .findFirst()
                .ifPresent(unknown -> {
                    throw new GuardedMethodException(
                            method,
                            attribute + "=" + expression.getExpressionString() + ": the method has no parameter "
                                    + unknown + ".",
                            names.isEmpty()
                                    ? "Give the method that parameter; it has none now."
                                    : names.stream()
                                            .collect(Collectors.joining(", #", "Name one that it has: #", ".")));
                });
    }

    private static Stream<String> variables(SpelNode node) {
        Stream<String> below = IntStream.range(0, node.getChildCount())
                .mapToObj(node::getChild)
                .flatMap(child -> variables(child));
        return node instanceof VariableReference ? Stream.concat(Stream.of(node.toStringAST()), below) : below;
    }

    private static @Nullable Method onDuplicate(Class<?> beanClass, Method method, IdempotentIncrement annotation) {
        String name = annotation.onDuplicate();
        if (name.isEmpty()) {
            return null;
        }
        Method found = ReflectionUtils.findMethod(beanClass, name, method.getParameterTypes());
        if (found == null
                || !answersFor(method, found)
                || AnnotatedElementUtils.hasAnnotation(found, IdempotentIncrement.class)) {
            throw new GuardedMethodException(
                    method,
                    "onDuplicate=" + name + " names no method of its bean with the same parameters.",
                    "Add this method to " + beanClass.getName() + ", without @IdempotentIncrement: "
                            + expectedSignature(name, method));
        }
        ReflectionUtils.makeAccessible(found);
        return found;
    }

    private static boolean answersFor(Method method, Method duplicate) {
        return method.getReturnType() == void.class
                || ClassUtils.isAssignable(method.getReturnType(), duplicate.getReturnType());
    }

    private static String expectedSignature(String name, Method method) {
        return Arrays.stream(method.getParameters())
                .map(parameter -> parameter.getParameterizedType().getTypeName() + " " + parameter.getName())
                .collect(Collectors.joining(", ", method.getGenericReturnType().getTypeName() + " " + name + "(", ")"));
    }

    private static @Nullable Class<?> classIfPresent(String name) {
        ClassLoader classLoader = GuardedMethodReader.class.getClassLoader();
        return ClassUtils.isPresent(name, classLoader) ? ClassUtils.resolveClassName(name, classLoader) : null;
    }
}
