package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.operation.StartException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.assertj.core.api.ObjectAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Slice;
import org.springframework.data.domain.Window;
import org.springframework.data.util.Streamable;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PostFilter;
import org.springframework.security.authorization.method.AuthorizeReturnObject;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

class GuardedMethodsTest {

    private final GuardedMethods methods = new GuardedMethods();

    @Test
    void scopeDefaultsToTheNameOfTheMethod() {
        assertThat(methods.register(DefaultScope.class)).isTrue();

        assertThat(methods.annotated())
                .extracting(GuardedMethod::scope)
                .containsExactly("dev.fbf.spring.method.GuardedMethodsTest.DefaultScope.count");
    }

    @Test
    void aClassWithoutAnnotatedMethodsIsNotGuarded() {
        assertThat(methods.register(String.class)).isFalse();
        assertThat(methods.annotated()).extracting(GuardedMethod::scope).isEmpty();
    }

    @Test
    void aMissingOnDuplicateMethodIsRefusedWithTheSignatureExpected() {
        assertRefused(
                        MissingOnDuplicate.class,
                        "onDuplicate=gone names no method of its bean with the same parameters and a compatible return"
                                + " type.")
                .isEqualTo("Add this method to dev.fbf.spring.method.GuardedMethodsTest$MissingOnDuplicate, without"
                        + " @IdempotentIncrement: java.util.List<java.lang.Long> gone(java.lang.String page, int by)");
    }

    @Test
    void anOnDuplicateMethodWithOtherParametersIsRefused() {
        assertRefused(OtherParameters.class, "onDuplicate=current names no method")
                .asString()
                .endsWith("long current(java.lang.String page)");
    }

    @Test
    void anOnDuplicateMethodWithAnotherReturnTypeIsRefused() {
        assertRefused(OtherReturnType.class, "onDuplicate=current names no method")
                .asString()
                .endsWith("long current(java.lang.String page)");
    }

    @Test
    void anOnDuplicateMethodThatIsGuardedItselfIsRefused() {
        assertRefused(GuardedOnDuplicate.class, "onDuplicate=count names no method");
    }

    @Test
    void aPrivateOnDuplicateMethodOfASuperclassIsFound() {
        assertThat(methods.register(Inherits.class)).isTrue();
    }

    @Test
    void methodsThatCannotBeInterceptedAreRefused() {
        assertRefused(PrivateMethod.class, "cannot be intercepted");
        assertRefused(FinalMethod.class, "cannot be intercepted");
    }

    @Test
    void aMethodThatReturnsBeforeItIsDoneIsRefused() {
        assertRefused(
                Asynchronous.class,
                "it returns a CompletableFuture, so its transaction would be over before its work is.");
    }

    @Test
    void aHandlerThatTakesTheKeyOfItsRequestAndReturnsBeforeItIsDoneIsRefused() {
        assertThatExceptionOfType(StartException.class)
                .isThrownBy(() -> methods.register(LaterByKey.class))
                .withMessageStartingWith("The handler ")
                .withMessageContaining(
                        "it returns a CompletableFuture and takes an IdempotencyKey, so retries would not");
        assertThat(methods.register(ByKey.class)).isFalse();
        assertThat(methods.takingKeys()).extracting(Method::getName).containsExactly("count");
    }

    /** The first response would be replayed to a user who may not see it. */
    @ParameterizedTest
    @ValueSource(
            classes = {PostAuthorized.class, PostFiltered.class, OfAuthorizedObjects.class, PostAuthorizedByClass.class
            })
    void aHandlerWhoseResultSecurityDecidesOnNeedsOnDuplicate(Class<?> controller) {
        assertRefused(controller, "security decides on its result").asString().contains("Name an onDuplicate method");
    }

    @Test
    void aHandlerWhoseResultSecurityDecidesOnTakesNoKey() {
        assertThatExceptionOfType(StartException.class)
                .isThrownBy(() -> methods.register(PostAuthorizedByKey.class))
                .withMessageContaining("security decides on its result");
    }

    @Test
    void aServiceWhoseResultSecurityDecidesOnHasNoResponseToBeKept() {
        assertThat(methods.register(PostAuthorizedService.class)).isTrue();
    }

    @Test
    void aResultThatIsWorkStillToBeDoneIsRefusedHoweverItIsNested() {
        assertRefused(Supplied.class, "it returns a Supplier, so its transaction would be over");
        assertRefused(Streamed.class, "it returns a IntStream, so its transaction would be over");
        assertRefused(Nested.class, "it returns a Callable, so its transaction would be over");
        assertRefused(Generic.class, "it returns a Callable, so its transaction would be over");
        assertRefused(InAnArray.class, "it returns a Future, so its transaction would be over");
        assertRefused(PagedLater.class, "it returns a Callable, so its transaction would be over");
        assertThat(methods.register(BoundedByItself.class)).isTrue();
    }

    /** Spring Data's pages are suppliers of streams, but hold their content. */
    @Test
    void aResultWhoseTypeExtendsSupplierIsNoWorkStillToBeDone() {
        assertThat(methods.register(Paged.class)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kotlinx/coroutines/flow/Flow",
                "io/reactivex/rxjava3/core/Single",
                "io/smallrye/mutiny/Uni",
                "org/reactivestreams/Publisher"
            })
    void aResultOfALibraryThatIsWorkStillToBeDoneIsRefused(String library, @TempDir Path directory) throws Exception {
        String name = library.substring(library.lastIndexOf('/') + 1);
        Path type = write(directory, library, "public interface " + name + "<T> {}");
        Path counting = write(
                directory,
                "app/Counting",
                "public class Counting { @dev.fbf.spring.IdempotentIncrement public Of count() { return null; }"
                        + " public interface Of extends " + library.replace('/', '.') + "<Long> {} }");

        assertRefused(compiled(directory, "app.Counting", type, counting), "it returns a Of, so its transaction");
    }

    @Test
    void aKeyInAHeaderIsRefusedWhereAnotherThreadWithoutARequestExecutesTheMethod() {
        assertRefused(LaterByHeader.class, "it is @Async, and the thread that executes it has no request")
                .isEqualTo("Pass the key as a parameter, and name that with key = \"#…\".");
        assertRefused(LaterAsAWhole.class, "it is @Async");
        assertThat(methods.register(LaterByParameter.class)).isTrue();
    }

    @Test
    void aReadOnlyTransactionIsRefused() {
        assertRefused(ReadOnly.class, "its transaction is read-only")
                .isEqualTo("Annotate the method itself with @Transactional.");
        assertRefused(ReadOnlyAsAWhole.class, "its transaction is read-only");
        assertThat(methods.register(ReadOnlyButForTheMethod.class)).isTrue();
    }

    @Test
    void aWaitThatIsNoDurationIsRefused() {
        assertRefused(BadWait.class, "BadWait.count(): waitInProgress=soon cannot be used")
                .isEqualTo(
                        "Write a duration such as 2s, 32d or ${payments.waitInProgress}, with that property set; or leave"
                                + " the attribute out.");
        assertRefused(
                NegativeWait.class, "waitInProgress=-2s cannot be used: waitInProgress=-2 s: must not be negative");
    }

    @Test
    void aScopeThatIsNoFileNameIsRefused() {
        assertRefused(BadScope.class, "scope=page views does not match");
    }

    @Test
    void aKeyThatIsNoExpressionIsRefused() {
        assertRefused(BadKey.class, "key=#( is not a SpEL expression");
    }

    @Test
    void aVariableThatIsNoParameterIsRefusedWithTheNamesThatThereAre() {
        assertRefused(MisspeltKey.class, "key=#oprationId: the method has no parameter #oprationId.")
                .isEqualTo("Name one that it has: #page, #operationId.");
        assertRefused(
                        MisspeltCaller.class,
                        "caller='t' + #by.![#tennant + #this]: the method has no parameter #tennant.")
                .isEqualTo("Name one that it has: #by.");
        assertRefused(NoParameters.class, "key=#p0: the method has no parameter #p0.")
                .isEqualTo("Give the method that parameter; it has none now.");
    }

    @Test
    void whateverAnExpressionCanReferToIsAccepted() {
        assertThat(methods.register(AllVariables.class)).isTrue();
    }

    @Test
    void aResponseWhoseBodyIsWrittenLaterIsRefused() {
        assertRefused(StreamedBody.class, "it returns a StreamingResponseBody, so its transaction would be over");
        assertRefused(DeferredBody.class, "it returns a CompletionStage, so its transaction would be over");
    }

    /** As Kotlin's compiler makes it; where Kotlin is on the class path, other libraries expect all of it. */
    @Test
    void aSuspendingFunctionIsRefused(@TempDir Path directory) throws Exception {
        Path continuation = write(directory, "kotlin/coroutines/Continuation", "public interface Continuation<T> {}");
        Path suspending = write(
                directory,
                "app/Suspending",
                "public class Suspending { @dev.fbf.spring.IdempotentIncrement"
                        + " public Object count(String page, kotlin.coroutines.Continuation<Long> last) { return null; } }");
        assertRefused(
                compiled(directory, "app.Suspending", continuation, suspending),
                "it is a suspending function of Kotlin, so its transaction would be over");
    }

    @Test
    void aFinalMethodOfKotlinIsRefusedWithThePluginThatOpensIt(@TempDir Path directory) throws Exception {
        Path metadata = write(
                directory,
                "kotlin/Metadata",
                "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) public @interface Metadata {}");
        Path closed = write(
                directory,
                "app/Closed",
                "@kotlin.Metadata public final class Closed { @dev.fbf.spring.IdempotentIncrement"
                        + " public final void count() {} }");

        assertRefused(compiled(directory, "app.Closed", metadata, closed), "a private, final or static method")
                .asString()
                .contains("kotlin-spring", "allOpen");
    }

    @SuppressWarnings("resource") // its loader goes with the class
    private Class<?> compiled(Path directory, String name, Path... sources) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("-proc:none", "-classpath", System.getProperty("java.class.path")));
        Stream.of(sources).map(Path::toString).forEach(arguments::add);
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        URL[] classes = {directory.toUri().toURL()};
        return new URLClassLoader(classes, getClass().getClassLoader()).loadClass(name);
    }

    private static Path write(Path directory, String name, String type) throws IOException {
        Path file = directory.resolve(name + ".java");
        Files.createDirectories(file.getParent());
        String inPackage = name.substring(0, name.lastIndexOf('/')).replace('/', '.');
        return Files.writeString(file, "package " + inPackage + "; " + type);
    }

    @Test
    void overloadsMustNameTheirScopes() {
        assertRefused(Overloads.class, "another method of this name has the same default scope");
    }

    private ObjectAssert<Object> assertRefused(Class<?> beanClass, String why) {
        List<StartException> thrown = new ArrayList<>();
        assertThatExceptionOfType(StartException.class)
                .isThrownBy(() -> methods.register(beanClass))
                .withMessageStartingWith("@IdempotentIncrement on ")
                .withMessageContaining(why)
                .satisfies(thrown::add);
        return assertThat((Object) thrown.get(0).action());
    }

    @RestController
    static class PostAuthorized {
        @PostMapping
        @PostAuthorize("returnObject == authentication.name")
        @IdempotentIncrement
        String count() {
            return "ada";
        }
    }

    @RestController
    static class PostFiltered {
        @PostMapping
        @PostFilter("filterObject == authentication.name")
        @IdempotentIncrement
        List<String> count() {
            return List.of("ada");
        }
    }

    @RestController
    static class OfAuthorizedObjects {
        @PostMapping
        @AuthorizeReturnObject
        @IdempotentIncrement
        Object count() {
            return "ada";
        }
    }

    @RestController
    @PostAuthorize("hasRole('ADMIN')")
    static class PostAuthorizedByClass {
        @PostMapping
        @IdempotentIncrement
        void count() {}
    }

    @RestController
    static class PostAuthorizedByKey {
        @PostMapping
        @PostAuthorize("returnObject == authentication.name")
        String count(IdempotencyKey key) {
            return "ada";
        }
    }

    static class PostAuthorizedService {
        @PostAuthorize("returnObject == authentication.name")
        @IdempotentIncrement
        String count() {
            return "ada";
        }
    }

    static class DefaultScope {
        @IdempotentIncrement
        void count() {}
    }

    abstract static class MissingOnDuplicate {
        @IdempotentIncrement(onDuplicate = "gone")
        abstract List<Long> count(String page, int by);
    }

    abstract static class OtherParameters {
        @IdempotentIncrement(onDuplicate = "current")
        abstract long count(String page);

        abstract long current(int page);
    }

    abstract static class OtherReturnType {
        @IdempotentIncrement(onDuplicate = "current")
        abstract long count(String page);

        abstract String current(String page);
    }

    abstract static class GuardedOnDuplicate {
        @IdempotentIncrement(onDuplicate = "count")
        abstract long count(String page);
    }

    static class HasPrivate {
        private Long current(String page) {
            return (long) page.length();
        }

        long use() {
            return current("");
        }
    }

    abstract static class Inherits extends HasPrivate {
        @IdempotentIncrement(onDuplicate = "current")
        abstract long count(String page);
    }

    static class PrivateMethod {
        @IdempotentIncrement
        private void count() {}

        void use() {
            count();
        }
    }

    static class FinalMethod {
        @IdempotentIncrement
        final void count() {}
    }

    abstract static class Asynchronous {
        @IdempotentIncrement
        abstract CompletableFuture<Long> count();
    }

    abstract static class Supplied {
        @IdempotentIncrement
        abstract Supplier<Long> count();
    }

    abstract static class Paged {
        @IdempotentIncrement
        abstract Page<Long> page();

        @IdempotentIncrement
        abstract ResponseEntity<Slice<Long>> slice();

        @IdempotentIncrement
        abstract Window<Long> window();

        @IdempotentIncrement
        abstract Streamable<Long> streamable();
    }

    abstract static class PagedLater {
        @IdempotentIncrement
        abstract Page<Callable<Long>> count();
    }

    abstract static class Streamed {
        @IdempotentIncrement
        abstract IntStream count();
    }

    abstract static class Nested {
        @IdempotentIncrement
        abstract Map<String, List<Callable<Long>>> count();
    }

    abstract static class Counts<T> {
        @IdempotentIncrement
        abstract T count(T result);
    }

    abstract static class Generic extends Counts<Callable<Long>> {}

    abstract static class InAnArray {
        @IdempotentIncrement
        abstract Future<?>[] count();
    }

    abstract static class BoundedByItself {
        @IdempotentIncrement
        abstract <T extends Comparable<T>> List<T> count(T last);
    }

    static class LaterByHeader {
        @Async
        @IdempotentIncrement
        void count() {}
    }

    @Async
    static class LaterAsAWhole {
        @IdempotentIncrement
        void count() {}
    }

    static class LaterByParameter {
        @Async
        @IdempotentIncrement(key = "#key")
        void count(String key) {}
    }

    static class ReadOnly {
        @Transactional(readOnly = true)
        @IdempotentIncrement
        void count() {}
    }

    @Transactional(readOnly = true)
    static class ReadOnlyAsAWhole {
        @IdempotentIncrement
        public void count() {}
    }

    @Transactional(readOnly = true)
    static class ReadOnlyButForTheMethod {
        @Transactional
        @IdempotentIncrement
        public void count() {}
    }

    static class BadWait {
        @IdempotentIncrement(waitInProgress = "soon")
        void count() {}
    }

    static class NegativeWait {
        @IdempotentIncrement(waitInProgress = "-2s")
        void count() {}
    }

    abstract static class StreamedBody {
        @IdempotentIncrement
        abstract ResponseEntity<StreamingResponseBody> count();
    }

    abstract static class DeferredBody {
        @IdempotentIncrement
        abstract ResponseEntity<CompletionStage<Long>> count();
    }

    static class BadScope {
        @IdempotentIncrement(scope = "page views")
        void count() {}
    }

    static class BadKey {
        @IdempotentIncrement(key = "#(")
        void count() {}
    }

    static class MisspeltKey {
        @IdempotentIncrement(key = "#oprationId", keyRequired = false)
        void count(String page, String operationId) {}
    }

    static class MisspeltCaller {
        @IdempotentIncrement(caller = "'t' + #by.![#tennant + #this]")
        void count(List<String> by) {}
    }

    static class NoParameters {
        @IdempotentIncrement(key = "#p0")
        void count() {}
    }

    static class AllVariables {
        @IdempotentIncrement(
                key = "#p0 + #a1 + #page + #root.class + #by.?[#this > #page.length()].![#this]",
                caller = "@tenants.of(#this, {#page, @names[#p0]})")
        void count(String page, List<Integer> by) {}
    }

    static class Overloads {
        @IdempotentIncrement
        void count(int by) {}

        @IdempotentIncrement
        void count(long by) {}
    }

    @RestController
    abstract static class LaterByKey {

        @PostMapping("/later")
        abstract CompletableFuture<Long> count(IdempotencyKey key);
    }

    @RestController
    abstract static class ByKey {

        @PostMapping("/now")
        abstract long count(Optional<IdempotencyKey> key);

        @PostMapping("/later/{key}")
        abstract CompletableFuture<Long> countOfPath(@PathVariable IdempotencyKey key);

        abstract CompletableFuture<Long> noHandler(IdempotencyKey key);
    }
}
