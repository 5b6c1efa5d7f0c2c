package dev.fbf.spring.declaration;

import java.util.Set;
import java.util.stream.Stream;
import org.springframework.core.ReactiveAdapterRegistry;

/** Results that are work still to be done: the transaction of a method that returns one has ended before its work has. */
public final class UnfinishedResults {

    /** By their names: most of their libraries are on few class paths. */
    private static final Set<String> TYPES = Set.of(
            "java.util.concurrent.Callable",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "java.util.concurrent.Future",
            "java.util.function.Supplier",
            "java.util.stream.BaseStream",
            "io.reactivex.rxjava3.core.Completable",
            "io.reactivex.rxjava3.core.Maybe",
            "io.reactivex.rxjava3.core.Observable",
            "io.reactivex.rxjava3.core.Single",
            "io.smallrye.mutiny.Uni",
            "kotlin.jvm.functions.Function0",
            "kotlin.sequences.Sequence",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow",
            "org.reactivestreams.Publisher",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private UnfinishedResults() {}

    /** Whether values of a type are work still to be done. */
    public static boolean of(Class<?> type) {
        return withSupertypes(type).anyMatch(its -> TYPES.contains(its.getName()))
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
    }

    private static Stream<Class<?>> withSupertypes(Class<?> type) {
        Stream<Class<?>> above =
                Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()));
        return Stream.concat(Stream.of(type), above.flatMap(UnfinishedResults::withSupertypes));
    }
}
