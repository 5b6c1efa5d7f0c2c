package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SystemReportTest {

    @Test
    void countsNothingButSigkillAsAKill() {
        SystemReport report = new SystemReport();
        for (Fault fault : Fault.values()) {
            report.happened(fault);
        }
        assertThat(report.kills(Fault.Lane.APP)).isEqualTo(5);
        assertThat(report.kills(Fault.Lane.POSTGRES)).isEqualTo(4); // a termination and a stop are none
    }
}
