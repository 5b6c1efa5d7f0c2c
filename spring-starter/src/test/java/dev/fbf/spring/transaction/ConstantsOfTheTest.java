package dev.fbf.spring.transaction;

import dev.fbf.spring.transaction.FbfAutoConfiguration.NodeRenewal;
import dev.fbf.spring.transaction.FbfAutoConfiguration.SettleTimeout;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.Environment;

/** What is the same in all applications and differs in tests, as properties of these. */
public final class ConstantsOfTheTest {

    /** Lets several contexts of a test apply operations of one scope in one database. */
    public static final String UNREGISTERED = "test.registered=false";

    public static final String REGISTERED = "test.registered=true";

    private ConstantsOfTheTest() {}

    /** Adds the beans for {@code test.registered}, {@code test.settle-timeout} and {@code test.renewal}. */
    public static void addTo(GenericApplicationContext context) {
        Environment environment = context.getEnvironment();
        if (!environment.getProperty("test.registered", Boolean.class, true)) {
            FbfAutoConfiguration.leaveUnregistered(context);
        }
        String timeout = environment.getProperty("test.settle-timeout");
        if (timeout != null) {
            context.registerBean(SettleTimeout.class, () -> new SettleTimeout(DurationStyle.detectAndParse(timeout)));
        }
        String renewal = environment.getProperty("test.renewal");
        if (renewal != null) {
            context.registerBean(NodeRenewal.class, () -> new NodeRenewal(DurationStyle.detectAndParse(renewal)));
        }
    }
}
