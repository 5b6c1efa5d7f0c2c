package dev.fbf.spring.method;

import dev.fbf.spring.HttpApp;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * Each test is another caller, whose keys nobody has used before: tests that share an application find its filter, and
 * the ledger, as if they were empty.
 */
public final class CallerOfTheTest implements Caller {

    /** For methods whose key is not the client's. */
    public static final String EXPRESSION = "T(dev.fbf.spring.method.CallerOfTheTest).current()";

    private static final AtomicLong NUMBER = new AtomicLong();

    private CallerOfTheTest() {}

    /** Replaces the authenticated caller. */
    public static void addTo(AnnotationConfigApplicationContext context) {
        context.registerBean(CallerOfTheTest.class, CallerOfTheTest::new, definition -> definition.setPrimary(true));
    }

    public static void change() {
        NUMBER.incrementAndGet();
    }

    public static String current() {
        return HttpApp.MARKER + NUMBER.get();
    }

    @Override
    public String name(@Nullable String scope) {
        return current();
    }
}
