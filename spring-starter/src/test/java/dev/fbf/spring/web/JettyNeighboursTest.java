package dev.fbf.spring.web;

import org.junit.jupiter.api.Tag;

@Tag("nightly")
class JettyNeighboursTest extends NeighboursContract {

    JettyNeighboursTest() {
        super(Jetty.class, NeighbouringApp.KINDS.keySet(), FILTERS);
    }
}
