package dev.fbf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SettingTest {

    /** Lower it when one goes: what need not be set is a constant. */
    private static final int MOST = 38;

    @Test
    void fbfHasFewPropertiesOfItsOwn() {
        assertThat(Setting.own()).contains("fbf.mode", "fbf.client.header", "fbf.cassandra.lanes");
        assertThat(Setting.own()).hasSizeLessThanOrEqualTo(MOST);
    }
}
