package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class LaunchTest {

    private final Properties system = new Properties();

    @Test
    void aRunOfNoLengthIsLeftOut() {
        assertThat(wants("guard", Length.NONE)).isFalse();
        assertThat(wants("guard", Length.SMOKE)).isTrue();
        assertThat(wants("guard", Length.FULL)).isTrue();
    }

    @Test
    void whatIsNotAmongTheNamedRunsIsLeftOut() {
        system.setProperty("runs", "guard,recovery");

        assertThat(wants("guard", Length.FULL)).isTrue();
        assertThat(wants("recovery", Length.FULL)).isTrue();
        assertThat(wants("bench", Length.FULL)).isFalse();
    }

    @Test
    void skippedTestsTakeTheShortRunsAlong() {
        system.setProperty("skipTests", "true");

        assertThat(wants("guard", Length.SMOKE)).isFalse();
        assertThat(wants("guard", Length.FULL)).isTrue();
    }

    private boolean wants(String run, Length length) {
        return Launch.isWanted(run, length, system);
    }
}
