package dev.fbf.spring.web;

import dev.fbf.spring.FbfProperties;
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

    static final String PATH = "${fbf.policy.path:" + FbfProperties.Policy.PATH + "}";

    private final PolicyWriter writer;
    private final String path;

    PolicyController(PolicyWriter writer, String path) {
        this.writer = writer;
        this.path = path;
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
                ? ServletRequests.uri(ServletUriComponentsBuilder.fromCurrentServletMapping()
                                .build()
                                .getPath()
                        + path)
                : null;
    }
}
