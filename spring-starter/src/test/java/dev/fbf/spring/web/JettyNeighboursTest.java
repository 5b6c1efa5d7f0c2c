package dev.fbf.spring.web;

import dev.fbf.spring.Mode;
import org.junit.jupiter.api.Tag;

@Tag("nightly")
class JettyNeighboursTest extends NeighboursContract {

    JettyNeighboursTest() {
        super(Jetty.class, Mode.FILTER, NeighbouringApp.KINDS.keySet(), FILTERS);
    }
}
