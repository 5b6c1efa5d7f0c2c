package dev.fbf.docs;

import static java.util.stream.Collectors.joining;
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

    @Test
    void eachPropertyIsInATableOfAPage() {
        String pages = Page.all().stream().map(Page::text).collect(joining());

        assertThat(Setting.own()).allSatisfy(name -> assertThat(pages).contains("\n| `" + name + "` | "));
    }
}
