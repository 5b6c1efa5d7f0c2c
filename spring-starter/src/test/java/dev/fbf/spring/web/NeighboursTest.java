package dev.fbf.spring.web;

import dev.fbf.spring.Mode;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Configuration;

/** Some kinds of responses; the slow tests have all of them. */
@Tag("slow")
class NeighboursTest extends NeighboursContract {

    NeighboursTest() {
        super(
                Tomcat.class,
                Mode.FILTER,
                List.of(
                        "text",
                        "download",
                        "redirect-view",
                        "html",
                        "view",
                        "form-stream",
                        "form-parameters",
                        "send-error"),
                FILTERS.subList(0, 2));
    }

    /** What is there. */
    @Configuration(proxyBeanMethods = false)
    static class Tomcat {}
}
