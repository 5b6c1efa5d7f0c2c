package dev.fbf.spring.web;

import dev.fbf.db.Response;
import dev.fbf.spring.operation.HttpRequests;
import dev.fbf.spring.transaction.Enlistment;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The request that Spring MVC has bound to this thread. */
final class ServletRequests implements HttpRequests {

    private static final String FOLLOWED = ServletRequests.class.getName() + ".FOLLOWED";

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
    public @Nullable Long fingerprint() {
        ServletRequestAttributes current = current();
        return current == null ? null : FingerprintFilter.fingerprint(current.getRequest());
    }

    @Override
    public void respondWith(String header, String value) {
        ServletRequestAttributes current = current();
        HttpServletResponse response = current == null ? null : current.getResponse();
        if (response != null) {
            response.setHeader(header, value);
        }
    }

    @Override
    public void recordResponse(UUID operation, Consumer<Response> receiver) {
        ServletRequestAttributes current = current();
        if (current != null) {
            ResponseFilter.want(current.getRequest(), operation, receiver);
        }
    }

    @Override
    public void follow(Enlistment enlistment) {
        ServletRequestAttributes current = current();
        if (current != null) {
            List<Enlistment> followed = new ArrayList<>(followed(current.getRequest()));
            followed.add(enlistment);
            current.getRequest().setAttribute(FOLLOWED, followed);
        }
    }

    /** The operations of a request whose transactions went on when their methods had returned. */
    @SuppressWarnings("unchecked") // nobody else sets the attribute
    static List<Enlistment> followed(HttpServletRequest request) {
        Object followed = request.getAttribute(FOLLOWED);
        return followed == null ? List.of() : (List<Enlistment>) followed;
    }

    private static @Nullable ServletRequestAttributes current() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? attributes
                : null;
    }
}
