package dev.fbf.spring.method;

import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Hints for ahead-of-time processing: the methods that fbf calls by reflection, and the parameter types whose properties expressions read.
 * Invalid annotations stop the build, as they stop the start.
 */
final class GuardedMethodHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        GuardedMethods methods = GuardedMethods.ofBuild(bean.getBeanFactory());
        return methods.register(bean.getBeanClass())
                ? (generation, code) -> methods.annotated()
                        .forEach(method ->
                                register(method, generation.getRuntimeHints().reflection()))
                : null;
    }

    private static void register(GuardedMethod guarded, ReflectionHints hints) {
        Method method = guarded.method();
        hints.registerMethod(method, ExecutableMode.INVOKE);
        if (guarded.onDuplicate() != null) {
            hints.registerMethod(guarded.onDuplicate(), ExecutableMode.INVOKE);
        }
        boolean readsProperties = Stream.of(guarded.key(), guarded.caller())
                .anyMatch(source -> source instanceof ValueSource.OfExpression by
                        && GuardedMethod.parameter(by.expression(), method).isEmpty());
        if (readsProperties) {
            new BindingReflectionHintsRegistrar().registerReflectionHints(hints, method.getGenericParameterTypes());
        }
    }
}
