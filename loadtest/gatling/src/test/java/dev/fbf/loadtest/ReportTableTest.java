package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReportTableTest {

    @Test
    void showsTheEndpointsSideBySide() {
        assertThat(ReportTable.of(new KnownReport().report()).lines())
                .containsExactly("""

                                                            guarded      unguarded        grouped
                  distinct operations                            10             10             10
                  requests sent                                  25             25             25
                    retries: on-purpose                          11             11             11
                    retries: lost-response                        4              4              4
                    retries: gave-up                              0              0              0
                    retries: at-once                              0              0              0
                    retries: in-progress                          0              0              0
                    retries: no-room                              0              0              0
                    retries: refused                              0              0              0
                  expected value                                 10             10             10
                  counter value                                  10             24             10
                  error                                     +0.00 %      +140.00 %        +0.00 %
                  p50 without faults                       1.500 ms       1.200 ms       0.900 ms
                  p99 without faults                       9.750 ms       9.750 ms       9.750 ms
                  p50 under faults                         3.250 ms       3.250 ms       3.250 ms
                  p99 under faults                      1234.568 ms    1234.568 ms    1234.568 ms

                  24 of the 25 requests to the unguarded endpoint reached its SQL: its counter counts them.
                  p50 guarded / p50 unguarded, without faults: 1.25
                  p50 grouped / p50 unguarded, without faults: 0.75
                """.indent(0).lines().toArray(String[]::new));
    }
}
