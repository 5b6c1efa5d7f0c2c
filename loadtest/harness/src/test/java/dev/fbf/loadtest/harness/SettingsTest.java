package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SettingsTest {

    private final Properties system = new Properties();

    @Test
    void aSystemPropertyOverridesBoth() {
        system.setProperty("family.known.rate", "7");

        assertThat(load("known", Length.FULL).integer("rate")).isEqualTo(7);
        assertThat(load("known", Length.SMOKE).integer("rate")).isEqualTo(7);
    }

    @Test
    void anUnknownOneIsRefusedWithTheListOfThoseThatAreKnown() {
        system.setProperty("family.known.rates", "7");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> load("known", Length.FULL))
                .withMessageContaining("family.known.rates is no setting of known")
                .withMessageContaining("family.known.rate, family.known.shares");
    }

    @Test
    void aMisspeltFamilyMemberIsRefusedAtTheLaunch() {
        Set<Settings> runs = Set.of(load("known", Length.FULL));

        Launch.refuseUnknown(Set.of("family.known.rate", "user.dir"), runs);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Launch.refuseUnknown(Set.of("family.knwon.rate"), runs))
                .withMessageContaining("family.knwon.rate is a setting of no run")
                .withMessageContaining("[family.known.]");
    }

    private Settings load(String run, Length length) {
        return Settings.load(run, length, system);
    }
}
