package dev.fbf.spring.operation;

import dev.fbf.spring.FbfProperties;
import java.time.InstantSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** The clock that the keys of an application are judged by. */
public final class ClockOfTheTest {

    private ClockOfTheTest() {}

    public static void addTo(AnnotationConfigApplicationContext context, InstantSource clock) {
        context.registerBean(
                Scopes.class,
                () -> new Scopes(context.getBean(FbfProperties.class), clock, context.getBean(Declarations.class)));
    }
}
