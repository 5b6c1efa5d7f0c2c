package dev.fbf.spring.web;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** Serves what clients may rely on, for programs and for people. */
@RestController
final class PolicyController {

    /** One path for all applications: problems link to it, so that no client has to know it. */
    static final String PATH = "/idempotency-policy";

    private final PolicyWriter writer;

    PolicyController(PolicyWriter writer) {
        this.writer = writer;
    }

    @GetMapping(path = PATH, produces = MediaType.APPLICATION_JSON_VALUE)
    Policy json() {
        return writer.write();
    }

    @GetMapping(path = PATH, produces = MediaType.TEXT_HTML_VALUE)
    String html() {
        return new PolicyPage(writer.write()).html();
    }

    /** Where the current request's client finds it, without the host, which a proxy may have changed. */
    @Nullable URI link() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes
                ? HttpContract.uri(ServletUriComponentsBuilder.fromCurrentServletMapping()
                                .build()
                                .getPath()
                        + PATH)
                : null;
    }
}
