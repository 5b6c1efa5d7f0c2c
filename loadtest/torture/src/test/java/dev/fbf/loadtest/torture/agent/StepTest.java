package dev.fbf.loadtest.torture.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The agent finds methods by their names: one that was renamed would never be instrumented, and nobody would know. */
class StepTest {

    @ParameterizedTest
    @EnumSource
    void theProductHasTheMethodOfEachStep(Step step) throws ClassNotFoundException {
        for (String type : step.types()) {
            assertThat(methods(type)).contains(step.method());
        }
    }

    @ParameterizedTest
    @EnumSource
    void isOfAGroupIfItsNameSaysSo(Step step) {
        assertThat(step.isOfGroup()).isEqualTo(step.name().startsWith("GROUP_"));
    }

    @Test
    void theProductHasTheMethodsThatApplyGroups() throws Exception {
        for (String type : AppliedGroup.APPLIERS) {
            assertThat(Class.forName(type).getDeclaredMethods())
                    .filteredOn(method -> method.getName().equals(AppliedGroup.METHOD))
                    .extracting(method -> method.getParameterTypes()[1])
                    .containsExactly(List.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "dev.fbf.core.guard.Guard, admit",
        "dev.fbf.core.guard.Guard, wasApplied",
        "dev.fbf.core.guard.ClaimRecords, write",
        "dev.fbf.core.filter.AdaptiveFilter, put",
        "dev.fbf.db.WitnessTable, compareAndSet",
        "dev.fbf.db.WitnessTable, isFence",
        "dev.fbf.db.GroupedIncrement, done"
    })
    void theProductHasTheMethodsThatAreSabotaged(String type, String method) throws ClassNotFoundException {
        assertThat(methods(type)).contains(method);
    }

    private static String[] methods(String type) throws ClassNotFoundException {
        return Arrays.stream(Class.forName(type).getDeclaredMethods())
                .map(Method::getName)
                .toArray(String[]::new);
    }
}
