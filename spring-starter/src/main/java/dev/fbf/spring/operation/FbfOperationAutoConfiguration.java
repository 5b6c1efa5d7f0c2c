package dev.fbf.spring.operation;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotentOperations;
import io.micrometer.observation.ObservationRegistry;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/** Auto-configuration of the executor of operations and of {@link IdempotentOperations}, if there is a backend. */
@AutoConfiguration(
        afterName = {
            "dev.fbf.spring.transaction.FbfAutoConfiguration",
            "dev.fbf.spring.cassandra.FbfCassandraAutoConfiguration"
        })
@ConditionalOnBean(OperationGuards.class)
final class FbfOperationAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Declarations fbfDeclarations() {
        return new Declarations();
    }

    @Bean
    @ConditionalOnMissingBean
    Scopes fbfScopes(FbfProperties properties, Declarations declarations, Environment environment) {
        PropertyChecks.requireKnown(environment);
        return new Scopes(properties, InstantSource.system(), declarations);
    }

    @Bean
    OperationObservations fbfOperationObservations(ObjectProvider<ObservationRegistry> registry) {
        return new OperationObservations(registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    @Bean
    @ConditionalOnMissingBean
    IdempotentOperations fbfIdempotentOperations(
            Declarations declarations, ObjectProvider<OperationExecutor> executor) {
        Supplier<OperationExecutor> known = SingletonSupplier.of(executor::getObject);
        return name -> new GuardedScope.Builder(declarations, known, name);
    }

    @Bean
    OperationExecutor fbfOperationExecutor(
            OperationGuards guards,
            ObjectProvider<HttpRequests> http,
            OperationObservations observations,
            FbfProperties properties) {
        HttpRequests requests = http.getIfAvailable(() -> HttpRequests.NONE);
        FbfProperties.Responses responses = properties.responses();
        return new OperationExecutor(
                guards,
                requests,
                observations,
                new PendingResponses(requests, responses.enabled() ? new RecentResponses(responses.memory()) : null));
    }
}
