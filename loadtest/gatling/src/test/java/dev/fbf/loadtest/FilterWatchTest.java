package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class FilterWatchTest {

    private final FilterWatch watch = new FilterWatch();

    @Test
    void aRefreshIsOneThatIsNotAsLongAgoAsTheLastOne() {
        look(1_000, "PT1S", 1e-10);
        look(1_000, "PT2S", 1e-10);
        look(1_000, "PT0.5S", 1e-10);
        look(1_000, "PT1.5S", 1e-10);
        look(1_000, "PT0.1S", 1e-10);
        look(1_000, "PT0.1S", 1e-10);

        assertThat(watch.filter()).isEqualTo(new SoakReport.Filter(2, 0, 0, 1e-10, 1e-9));
    }

    @Test
    void aNewArenaIsNoRefreshAndItsSizeTellsWhichWayItWent() {
        look(1_000, "PT1S", 1e-10);
        look(3_000, "PT0.1S", 1e-10);
        look(5_000, "PT0.1S", 1e-10);
        look(2_000, "PT0.1S", 1e-10);

        assertThat(watch.filter()).isEqualTo(new SoakReport.Filter(0, 2, 1, 1e-10, 1e-9));
    }

    @Test
    void remembersTheHighestShareOfMistakes() {
        look(1_000, "PT1S", 2e-10);
        look(1_000, "PT2S", 5e-10);
        look(1_000, "PT3S", 1e-10);

        assertThat(watch.filter()).isEqualTo(new SoakReport.Filter(0, 0, 0, 5e-10, 1e-9));
        assertThat(watch.last()).isEqualTo(new FilterWatch.Look(1_500, 2, 3, 0.25, 1e-10));
    }

    private void look(long bytes, String sinceRefresh, double estimatedFpp) {
        watch.look(JsonMapper.shared().readTree("""
                        {"bytes": 1500, "fill": 0.25, "targetFpp": 1e-9, "estimatedFpp": %s, "arenas": [
                          {"bytes": %d, "sinceRefresh": "%s", "generations": [{}, {}, {}]},
                          {"bytes": 500, "sinceRefresh": "PT0S", "generations": [{}]}
                        ]}
                        """.formatted(estimatedFpp, bytes, sinceRefresh)));
    }
}
