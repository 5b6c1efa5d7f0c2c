package dev.fbf.sample;

import org.springframework.boot.test.web.server.LocalServerPort;

@SampleAppTest
class GuardedCounterTest extends CountingContract {

    @LocalServerPort
    private int port;

    @Override
    int port() {
        return port;
    }
}
