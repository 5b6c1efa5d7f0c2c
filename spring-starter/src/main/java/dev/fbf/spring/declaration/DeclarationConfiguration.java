package dev.fbf.spring.declaration;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** What operations are declared by. */
@Configuration(proxyBeanMethods = false)
public final class DeclarationConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardedMethods fbfGuardedMethods() {
        return new GuardedMethods();
    }
}
