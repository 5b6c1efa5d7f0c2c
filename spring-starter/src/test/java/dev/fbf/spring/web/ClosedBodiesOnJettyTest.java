package dev.fbf.spring.web;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.Mode;

@GuardedApp(
        beans = {ClosedBodiesTest.Webhooks.class, Jetty.class},
        properties = FingerprintTest.WITHOUT_RESPONSES,
        modes = Mode.LEDGER)
class ClosedBodiesOnJettyTest extends ClosedBodiesTest {}
