package dev.fbf.spring.transaction;

import dev.fbf.db.witness.NodeLease;
import dev.fbf.spring.transaction.FbfAutoConfiguration.Timing;
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
        String timeout = environment.getProperty("test.settle-timeout");
        String renewal = environment.getProperty("test.renewal");
        if (renewal == null && !environment.getProperty("test.registered", Boolean.class, true)) {
            renewal = "0s";
        }
        Timing timing = new Timing(
                renewal == null ? NodeLease.RENEWAL : DurationStyle.detectAndParse(renewal),
                timeout == null ? Timing.SETTLED : DurationStyle.detectAndParse(timeout));
        context.registerBean(Timing.class, () -> timing);
    }
}
