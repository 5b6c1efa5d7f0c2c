package dev.fbf.spring.web;

import dev.fbf.spring.Mode;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class TomcatNeighboursTest extends NeighboursContract {

    TomcatNeighboursTest() {
        super(NeighboursTest.Tomcat.class, Mode.FILTER, NeighbouringApp.KINDS.keySet(), FILTERS);
    }
}
