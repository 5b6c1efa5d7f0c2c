package dev.fbf.spring.web;

import dev.fbf.spring.Mode;
import org.junit.jupiter.api.Tag;

@Tag("nightly")
class TomcatLedgerNeighboursTest extends NeighboursContract {

    TomcatLedgerNeighboursTest() {
        super(NeighboursTest.Tomcat.class, Mode.LEDGER, NeighbouringApp.KINDS.keySet(), FILTERS);
    }
}
