package dev.fbf.spring.web;

import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Jetty in place of Tomcat. */
@Configuration(proxyBeanMethods = false)
class Jetty {

    @Bean
    JettyServletWebServerFactory servletWebServerFactory() {
        return new JettyServletWebServerFactory();
    }
}
