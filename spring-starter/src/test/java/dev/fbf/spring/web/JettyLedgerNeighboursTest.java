package dev.fbf.spring.web;

import dev.fbf.spring.Mode;
import org.junit.jupiter.api.Tag;

@Tag("nightly")
class JettyLedgerNeighboursTest extends NeighboursContract {

    JettyLedgerNeighboursTest() {
        super(Jetty.class, Mode.LEDGER, NeighbouringApp.KINDS.keySet(), FILTERS);
    }
}
