package dev.fbf.spring;

import jakarta.servlet.http.HttpServletResponse;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The request that Spring MVC has bound to this thread. */
final class ServletRequests implements HttpRequests {

    @Override
    public boolean inRequest() {
        return current() != null;
    }

    @Override
    public List<String> header(String name) {
        ServletRequestAttributes current = current();
        return current == null
                ? List.of()
                : Collections.list(current.getRequest().getHeaders(name));
    }

    @Override
    public void answerWith(String header, String value) {
        ServletRequestAttributes current = current();
        HttpServletResponse response = current == null ? null : current.getResponse();
        if (response != null) {
            response.setHeader(header, value);
        }
    }

    private static @Nullable ServletRequestAttributes current() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? attributes
                : null;
    }
}
