package dev.fbf.sample.fault;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class FaultConfiguration {

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> lostResponsesValve(LostResponses lostResponses) {
        return factory -> factory.addEngineValves(new LostResponsesValve(lostResponses));
    }
}
