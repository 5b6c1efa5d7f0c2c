package dev.fbf.sample.fault;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class FaultConfiguration {

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> lostAnswersValve(LostAnswers lostAnswers) {
        return factory -> factory.addEngineValves(new LostAnswersValve(lostAnswers));
    }
}
