package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.StartException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Slice;
import org.springframework.http.ResponseEntity;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PostFilter;
import org.springframework.security.authorization.method.AuthorizeReturnObject;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What stops the start, and with which remedy. */
class GuardedMethodsTest {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final GuardedMethods methods = new GuardedMethods(beans, new Declarations());

    @Test
    void scopeDefaultsToTheNameOfTheMethod() {
        assertThat(methods.register(DefaultScope.class, null)).isTrue();

        assertThat(methods.annotated())
                .extracting(GuardedMethod::scope)
                .containsExactly("dev.fbf.spring.method.GuardedMethodsTest.DefaultScope.count");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "aPrivateMethod | a private, final or static method cannot be intercepted | overridable",
                "aFinalMethod | a private, final or static method cannot be intercepted | with the plugin kotlin-spring",
                "withoutItsOnDuplicate | onDuplicate=gone names no method of its bean | gone(java.lang.String,int)",
                "withAnotherReturnType | onDuplicate=text names no method of its bean | text(java.lang.String)",
                "withAGuardedOnDuplicate | onDuplicate=withAGuardedOnDuplicate names no method | without @IdempotentInc",
                "aSupplier | it returns a Supplier, so it would be over before its work is | virtual threads",
                "nestedWork | it returns a Callable, so it would be over before its work is | virtual threads",
                "readOnly | its transaction is read-only | Annotate the method itself with @Transactional.",
                "newTransaction | its transaction is neither REQUIRED nor MANDATORY | with PROPAGATION_REQUIRES_NEW",
                "nestedTransaction | its transaction is neither REQUIRED nor MANDATORY | without propagation",
                "never | its transaction is neither REQUIRED nor MANDATORY | without propagation",
                "ofAnotherManager | transactionManager=mine, but its transaction is of the manager another | only in @T",
                "aBadWait | waitInProgress=soon cannot be used | Write a duration such as 2s, 32d",
                "aNegativeWait | waitInProgress=-2s cannot be used: waitInProgress=-2 s: must not be negative | Write a",
                "aBadScope | scope=page views: must have 1 to 200 letters | Name the scope with scope = ",
                "aBadKey | key=#( is not a SpEL expression | such as #operationId",
                "aConcatenation | ship-' + #page: a concatenation runs its parts together | such as {'ship', #operationId}",
                "aMisspeltKey | key=#oprationId: the method has no parameter #oprationId. | #page, #p0, #a0, #operationId",
                "aMisspeltCaller | caller={'t', #by.![{#tennant, #this}]}: the method has no parameter #tennant. | #by",
                "noParameters | key=#p0: the method has no parameter #p0. | It has no parameter.",
                "authorizedAfter | security decides on its result | Name an onDuplicate method",
                "filteredAfter | security decides on its result | Name an onDuplicate method",
                "ofAuthorizedObjects | security decides on its result | Name an onDuplicate method"
            })
    void anUnusableAnnotationIsRefusedWithTheRemedy(String method, String why, String remedy) throws Exception {
        Method refused = Stream.of(Refused.class.getDeclaredMethods())
                .filter(each -> each.getName().equals(method))
                .findFirst()
                .orElseThrow();
        IdempotentIncrement annotation = Objects.requireNonNull(refused.getAnnotation(IdempotentIncrement.class));

        assertThatExceptionOfType(StartException.class)
                .isThrownBy(() -> new GuardedMethodReader(beans).read(Refused.class, refused, annotation, null))
                .withMessageStartingWith("@IdempotentIncrement on ")
                .withMessageContaining(why)
                .satisfies(thrown -> assertThat(thrown.action()).contains(remedy));
    }

    @ParameterizedTest
    @ValueSource(classes = {PostAuthorizedByClass.class, PostAuthorizedByKey.class})
    void aHandlerWhoseResultSecurityDecidesOnNeedsOnDuplicate(Class<?> controller) {
        assertRefused(controller, "security decides on its result");
    }

    @Test
    void aHandlerThatTakesTheKeyOfItsRequestAndReturnsBeforeItIsDoneIsRefused() {
        assertRefused(LaterByKey.class, "it returns a CompletableFuture, so it would be over");
        assertThat(methods.register(ByKey.class, null)).isFalse();
        assertThat(methods.takingKeys()).extracting(Method::getName).containsExactly("count");
    }

    @Test
    void overloadsMustNameTheirScopes() {
        assertRefused(Overloads.class, "another method of this name has the same default scope");
    }

    /** Spring Data's pages are suppliers of streams, but hold their content. */
    @ParameterizedTest
    @ValueSource(classes = {Paged.class, ReadOnlyButForTheMethod.class, AllVariables.class})
    void whatIsUsableIsAccepted(Class<?> bean) {
        assertThat(methods.register(bean, null)).isTrue();
    }

    /** Suspending functions are as Kotlin's compiler makes them; where Kotlin is on the class path, other libraries expect all of it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kotlinx.coroutines.flow.Flow | Flow<Long> count() | it returns a Flow",
                "io.smallrye.mutiny.Uni | Uni<Long> count() | it returns a Uni",
                "kotlin.coroutines.Continuation | Object count(Continuation<Long> last) | it is a suspending function"
            })
    void aResultOfALibraryThatIsWorkStillToBeDoneIsRefused(
            String library, String method, String why, @TempDir Path directory) throws Exception {
        String name = library.substring(library.lastIndexOf('.') + 1);
        Path type = write(directory, library, "public interface " + name + "<T> {}");
        Path counting = write(
                directory,
                "app.Counting",
                "public abstract class Counting { @dev.fbf.spring.IdempotentIncrement public abstract "
                        + method.replace(name, library) + "; }");

        assertRefused(compiled(directory, type, counting), why);
    }

    @SuppressWarnings("resource") // its loader goes with the class
    private Class<?> compiled(Path directory, Path type, Path counting) throws Exception {
        String[] arguments = {
            "-proc:none", "-classpath", System.getProperty("java.class.path"), type.toString(), counting.toString()
        };
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments))
                .isZero();
        URL[] classes = {directory.toUri().toURL()};
        return new URLClassLoader(classes, getClass().getClassLoader()).loadClass("app.Counting");
    }

    private static Path write(Path directory, String name, String type) throws IOException {
        Path file = directory.resolve(name.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "package " + name.substring(0, name.lastIndexOf('.')) + "; " + type);
    }

    private void assertRefused(Class<?> beanClass, String why) {
        assertThatExceptionOfType(StartException.class)
                .isThrownBy(() -> methods.register(beanClass, null))
                .withMessageContaining(why);
    }

    @RestController
    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // read by reflection
    static class Refused implements OfNever {

        @IdempotentIncrement
        private void aPrivateMethod() {}

        @IdempotentIncrement
        final void aFinalMethod() {}

        @IdempotentIncrement(onDuplicate = "gone")
        List<Long> withoutItsOnDuplicate(String page, int by) {
            return List.of();
        }

        @IdempotentIncrement(onDuplicate = "text")
        long withAnotherReturnType(String page) {
            return 1;
        }

        String text(String page) {
            return page;
        }

        @IdempotentIncrement(onDuplicate = "withAGuardedOnDuplicate")
        long withAGuardedOnDuplicate(String page) {
            return 1;
        }

        @IdempotentIncrement
        Supplier<Long> aSupplier() {
            return () -> 1L;
        }

        @IdempotentIncrement
        Map<String, List<Callable<Long>>> nestedWork() {
            return Map.of();
        }

        @Transactional(readOnly = true)
        @IdempotentIncrement
        void readOnly() {}

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @IdempotentIncrement
        void newTransaction() {}

        @Transactional(propagation = Propagation.NESTED)
        @IdempotentIncrement
        void nestedTransaction() {}

        @Override
        @IdempotentIncrement
        public void never() {}

        @Transactional("another")
        @IdempotentIncrement(transactionManager = "mine")
        void ofAnotherManager() {}

        @IdempotentIncrement(waitInProgress = "soon")
        void aBadWait() {}

        @IdempotentIncrement(waitInProgress = "-2s")
        void aNegativeWait() {}

        @IdempotentIncrement(scope = "page views")
        void aBadScope() {}

        @IdempotentIncrement(key = "#page == null ? null : 'ship-' + #page")
        void aConcatenation(String page) {}

        @IdempotentIncrement(key = "#(")
        void aBadKey() {}

        @IdempotentIncrement(key = "#oprationId", keyRequired = false)
        void aMisspeltKey(String page, String operationId) {}

        @IdempotentIncrement(caller = "{'t', #by.![{#tennant, #this}]}")
        void aMisspeltCaller(List<String> by) {}

        @IdempotentIncrement(key = "#p0")
        void noParameters() {}

        @PostMapping
        @PostAuthorize("returnObject == authentication.name")
        @IdempotentIncrement
        String authorizedAfter() {
            return "ada";
        }

        @PostMapping
        @PostFilter("filterObject == authentication.name")
        @IdempotentIncrement
        List<String> filteredAfter() {
            return List.of("ada");
        }

        @PostMapping
        @AuthorizeReturnObject
        @IdempotentIncrement
        Object ofAuthorizedObjects() {
            return "ada";
        }
    }

    interface OfNever {

        @Transactional(propagation = Propagation.NEVER)
        void never();
    }

    static class DefaultScope {

        @IdempotentIncrement
        void count() {}
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

    abstract static class Paged {

        @IdempotentIncrement
        abstract Page<Long> page();

        @IdempotentIncrement
        abstract ResponseEntity<Slice<Long>> slice();
    }

    @Transactional(readOnly = true)
    static class ReadOnlyButForTheMethod {

        @Transactional
        @IdempotentIncrement
        public void count() {}
    }

    static class AllVariables {

        @IdempotentIncrement(
                key = "{#p0, #a1, #page, #root.class, #by.?[#this > #page.length()].![#this]}",
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
