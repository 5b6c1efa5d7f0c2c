package dev.fbf.spring.operation;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;

/**
 * Recognition of results that stand for unfinished work, such as futures, publishers and suppliers: the transaction of a method that
 * returns one would end before its work does. Thread-safe.
 */
public final class UnfinishedResults {

    /** Names of the types, because most of their libraries are not on the class path. */
    private static final Set<String> TYPES = Set.of(
            "java.util.concurrent.Callable",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "java.util.concurrent.Future",
            "java.util.stream.BaseStream",
            "io.reactivex.rxjava3.core.Completable",
            "io.reactivex.rxjava3.core.Maybe",
            "io.reactivex.rxjava3.core.Observable",
            "io.reactivex.rxjava3.core.Single",
            "io.smallrye.mutiny.Uni",
            "kotlin.sequences.Sequence",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow",
            "org.reactivestreams.Publisher",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** Names of the types of lambdas. A named subtype is a result: Spring Data's pages are suppliers of streams. */
    private static final Set<String> LAMBDAS = Set.of("java.util.function.Supplier", "kotlin.jvm.functions.Function0");

    /** Limit of nesting for result types, because a type variable can be bounded by itself. */
    private static final int DEEPEST = 5;

    private static final boolean HAS_HTTP_ENTITIES =
            ClassUtils.isPresent("org.springframework.http.HttpEntity", UnfinishedResults.class.getClassLoader());

    /** Whether a type stands for unfinished work. Cached, because each result of a guarded method is checked. */
    private static final ClassValue<Boolean> KNOWN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return withSupertypes(type).anyMatch(its -> TYPES.contains(its.getName()))
                    || isLambda(type)
                    || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
        }
    };

    private UnfinishedResults() {}

    /** Finds unfinished work in a result type or in its parts, such as the body of an HTTP response; null if there is none. */
    public static @Nullable Class<?> in(ResolvableType type) {
        return in(type, DEEPEST);
    }

    private static @Nullable Class<?> in(ResolvableType type, int depth) {
        Class<?> result = type.resolve(Object.class);
        if (KNOWN.get(result)) {
            return result;
        }
        return depth == 0
                ? null
                : Stream.concat(Stream.of(type.getGenerics()), Stream.of(type.getComponentType()))
                        .filter(part -> !part.equals(ResolvableType.NONE))
                        .map(part -> in(part, depth - 1))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
    }

    /**
     * Finds unfinished work in a value: the value itself, the body of an HTTP response, or the content of an {@link Optional}.
     *
     * @return its type; null if there is none
     */
    public static @Nullable Class<?> in(@Nullable Object value) {
        Object content = HAS_HTTP_ENTITIES && value instanceof HttpEntity<?> entity ? entity.getBody() : value;
        if (content instanceof Optional<?> optional) {
            content = optional.orElse(null);
        }
        return content != null && KNOWN.get(content.getClass()) ? content.getClass() : null;
    }

    private static boolean isLambda(Class<?> type) {
        boolean isNamed = !type.isHidden() && !type.isAnonymousClass() && !type.isSynthetic();
        return LAMBDAS.contains(type.getName())
                || (!isNamed && Stream.of(type.getInterfaces()).anyMatch(its -> LAMBDAS.contains(its.getName())));
    }

    private static Stream<Class<?>> withSupertypes(Class<?> type) {
        Stream<Class<?>> above =
                Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()));
        return Stream.concat(Stream.of(type), above.flatMap(UnfinishedResults::withSupertypes));
    }
}
