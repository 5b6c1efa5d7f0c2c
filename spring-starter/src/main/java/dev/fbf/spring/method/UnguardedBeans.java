package dev.fbf.spring.method;

import dev.fbf.spring.operation.StartException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.util.ClassUtils;

/**
 * Check that stops the start if a bean has annotated methods but no advice, since each call of them would be applied. Beans that are
 * created after the start get their advice at creation.
 */
record UnguardedBeans(GuardedMethods methods, ConfigurableListableBeanFactory own, GuardPostProcessor advising)
        implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

    /** Post-processor of Spring's test framework, which registers test doubles such as mocks after all other post-processors. */
    private static final String STAND_INS =
            "org.springframework.test.context.bean.override.internalBeanOverridePostProcessor";

    @Override
    public void afterSingletonsInstantiated() {
        requireGuarded(
                own,
                "they were created before fbf's BeanPostProcessor, or registered without post-processing, so they would"
                        + " not be guarded.",
                "Look for a BeanPostProcessor or BeanFactoryPostProcessor that needs them, and inject an ObjectProvider"
                        + " of them there; make its @Bean method static. Define objects that are registered by hand as"
                        + " beans.");
    }

    /** Handles child contexts, whose beans do not pass the post-processors of their parent. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (event.getApplicationContext().getAutowireCapableBeanFactory()
                        instanceof ConfigurableListableBeanFactory child
                && child != own
                && child.getBeanNamesForType(GuardPostProcessor.class, true, false).length == 0) {
            requireGuarded(
                    child,
                    "they are in a child context that fbf does not guard, though it guards the parent context.",
                    "Define them in the parent context, or enable FbfAutoConfiguration and a DataSource in the child"
                            + " context.");
        }
    }

    private void requireGuarded(ConfigurableListableBeanFactory beans, String what, String action) {
        if (beans.containsBean(STAND_INS)) {
            return;
        }
        List<String> unguarded = new ArrayList<>();
        beans.getBeanNamesIterator().forEachRemaining(name -> {
            Object bean = singleton(beans, name);
            if (bean != null && (isGuarded(bean) || (beans == own && advising.hasGuarded(name)))) {
                advising.report(bean, name);
                return;
            }
            Class<?> type = bean == null ? typeOfLater(beans, name) : GuardedMethods.typeOf(bean);
            if (type != null && GuardedMethods.hasAnnotated(type)) {
                unguarded.add(name + " (" + ClassUtils.getUserClass(type).getName() + ")");
            }
        });
        if (!unguarded.isEmpty()) {
            throw new StartException(
                    "@IdempotentIncrement on methods of the beans " + unguarded + ": " + what, action, null);
        }
    }

    /** Returns a singleton; null if it does not exist yet. Creates the product of a factory only if its type has annotated methods. */
    private static @Nullable Object singleton(ConfigurableListableBeanFactory beans, String name) {
        Object bean = beans.getSingleton(name);
        if (bean instanceof FactoryBean<?> factory && factory.isSingleton()) {
            Class<?> type = factory.getObjectType();
            return type != null && GuardedMethods.hasAnnotated(type) ? beans.getBean(name) : bean;
        }
        return bean;
    }

    /** Returns the type of a bean that will be created without advice; null for other beans. */
    private @Nullable Class<?> typeOfLater(ConfigurableListableBeanFactory beans, String name) {
        return beans == own ? null : beans.getType(name, false);
    }

    private static boolean isGuarded(Object bean) {
        return bean instanceof AopInfrastructureBean
                || (bean instanceof Advised advised && GuardPostProcessor.isGuarded(advised));
    }
}
