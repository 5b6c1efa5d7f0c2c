package dev.fbf.spring.web;

import dev.fbf.spring.Mode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Configuration;

/** In filter mode on Tomcat with each change; each night on both servers in both modes. */
class NeighboursTest {

    /** The server that is there. */
    @Configuration(proxyBeanMethods = false)
    static class Tomcat {}

    @Nested
    @Tag("slow")
    class OnTomcat extends NeighboursContract {

        OnTomcat() {
            super(Tomcat.class, Mode.FILTER);
        }
    }

    @Nested
    @Tag("nightly")
    class OnTomcatWithALedger extends NeighboursContract {

        OnTomcatWithALedger() {
            super(Tomcat.class, Mode.LEDGER);
        }
    }

    @Nested
    @Tag("nightly")
    class OnJetty extends NeighboursContract {

        OnJetty() {
            super(Jetty.class, Mode.FILTER);
        }
    }

    @Nested
    @Tag("nightly")
    class OnJettyWithALedger extends NeighboursContract {

        OnJettyWithALedger() {
            super(Jetty.class, Mode.LEDGER);
        }
    }
}
