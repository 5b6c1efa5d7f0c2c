package dev.fbf.spring.jdbc;

import dev.fbf.db.node.NodeLease;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.ResponseStore;
import dev.fbf.spring.operation.GuardedMethods;
import dev.fbf.spring.operation.PropertyChecks;
import dev.fbf.spring.operation.RetryWindows;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.NameMatchTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** The guards of all scopes. */
@Configuration(proxyBeanMethods = false)
public final class GuardConfiguration {

    /**
     * How a node renews what it has claimed in the database.
     *
     * @param interval {@link NodeLease#RENEWAL}, but in tests; zero if it claims nothing
     * @param hostClock the host's clock, but in tests
     */
    record NodeRenewal(Duration interval, InstantSource hostClock) {

        NodeRenewal(Duration interval) {
            this(interval, InstantSource.system());
        }

        static NodeRenewal none() {
            return new NodeRenewal(Duration.ZERO);
        }
    }

    /**
     * How long a request waits for the database to tell the outcome of an operation in doubt.
     *
     * @param longest {@link #DEFAULT}, but in tests
     */
    record SettleTimeout(Duration longest) {

        /** Longer than a settlement takes where the database responds, and shorter than clients wait. */
        static final SettleTimeout DEFAULT = new SettleTimeout(Duration.ofSeconds(2));
    }

    /** Keeps a context out of the registry of nodes: those of a test run share a database, and never each other's retries. */
    public static void leaveUnregistered(BeanDefinitionRegistry beans) {
        RootBeanDefinition none = new RootBeanDefinition(NodeRenewal.class);
        none.setFactoryMethodName("none");
        none.setFallback(true);
        beans.registerBeanDefinition("fbfNoNodeRenewal", none);
    }

    /** Where the transaction's own interceptor is, just outside of it. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanFactoryTransactionAttributeSourceAdvisor fbfJoiningAdvisor(
            BeanFactory beans, ObjectProvider<TransactionAttributeSource> declared) {
        TransactionAttributeSource transactions = declared.getIfUnique(NameMatchTransactionAttributeSource::new);
        BeanFactoryTransactionAttributeSourceAdvisor advisor = new BeanFactoryTransactionAttributeSourceAdvisor();
        advisor.setTransactionAttributeSource(transactions);
        advisor.setAdvice(new JoiningInterceptor(beans, transactions));
        advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 1);
        return advisor;
    }

    @Bean
    Guards fbfGuards(
            FbfProperties properties,
            GuardedMethods methods,
            ListableBeanFactory beans,
            SchemaMigration schema,
            RetryWindows windows,
            ObjectProvider<NodeRenewal> renewal,
            ObjectProvider<SettleTimeout> settleTimeout,
            ObjectProvider<ResponseStore> responses,
            Environment environment) {
        PropertyChecks.requireKnown(environment);
        NodeRenewal node = renewal.getIfAvailable(() -> new NodeRenewal(NodeLease.RENEWAL));
        return new Guards(
                properties,
                methods,
                new GuardedDatabases(beans, properties, schema, node.interval(), node.hostClock()),
                windows,
                settleTimeout.getIfAvailable(() -> SettleTimeout.DEFAULT).longest(),
                responses.getIfAvailable());
    }
}
