package dev.fbf.loadtest.torture.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.torture.agent.Sabotage.Broken;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The agent finds methods by their names: one that was renamed would never be instrumented, and nobody would know. */
class StepTest {

    @ParameterizedTest
    @EnumSource
    void theProductHasTheMethodOfEachStep(Step step) throws ClassNotFoundException {
        for (String type : step.types()) {
            assertThat(methods(type, step.method())).isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theProductHasTheMethodsThatAreSabotaged(Broken broken) throws ClassNotFoundException {
        for (Sabotage.Change change : broken.changes()) {
            assertThat(methods(change.type(), change.method()))
                    .extracting(Method::getParameterCount)
                    .contains(change.arguments());
        }
    }

    @Test
    void theProductHasMethodsThatWorkOnFiles() throws ClassNotFoundException {
        List<String> names = List.of(FilePoints.METHODS);
        List<String> found = new ArrayList<>();
        for (String type : FilePoints.TYPES) {
            if (type.endsWith(".ForeignWords") && Runtime.version().feature() < 22) {
                continue; // not for this JDK
            }
            List<String> its = Stream.of(Class.forName(type).getDeclaredMethods())
                    .map(Method::getName)
                    .filter(names::contains)
                    .toList();
            assertThat(its).as(type).isNotEmpty();
            found.addAll(its);
        }
        assertThat(found).containsAll(names);
    }

    @Test
    void theProductHasTheMethodsThatApplyGroups() throws ClassNotFoundException {
        for (String type : AppliedGroup.APPLIERS.split(" ", -1)) {
            assertThat(methods(type, AppliedGroup.METHOD))
                    .extracting(method -> method.getParameterTypes()[1])
                    .containsExactly(List.class);
        }
    }

    private static List<Method> methods(String type, String name) throws ClassNotFoundException {
        return Stream.of(Class.forName(type).getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .toList();
    }
}
