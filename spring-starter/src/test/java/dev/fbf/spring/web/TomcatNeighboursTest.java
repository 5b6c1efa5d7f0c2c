package dev.fbf.spring.web;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class TomcatNeighboursTest extends NeighboursContract {

    TomcatNeighboursTest() {
        super(NeighboursTest.Tomcat.class, NeighbouringApp.KINDS.keySet(), FILTERS);
    }
}
