package dev.fbf.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The application that the tests of a class share, one in each mode: a {@link CountingAppTest} or an {@link HttpAppTest}. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface GuardedApp {

    /** Its components, beside those that each such application has. */
    Class<?>[] beans() default {};

    String[] properties() default {};

    Mode[] modes() default {Mode.FILTER, Mode.LEDGER};

    /** The modes of a class, which has an application in each. */
    final class Modes implements ArgumentsProvider {

        @Override
        public Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context) {
            return Arrays.stream(of(context.getRequiredTestClass()).modes()).map(Arguments::of);
        }

        static GuardedApp of(Class<?> test) {
            return Objects.requireNonNull(test.getAnnotation(GuardedApp.class), test.getName());
        }
    }
}
