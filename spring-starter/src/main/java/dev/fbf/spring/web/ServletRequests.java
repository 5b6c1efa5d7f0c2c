package dev.fbf.spring.web;

import dev.fbf.db.Response;
import dev.fbf.spring.operation.AdmittedOperation;
import dev.fbf.spring.operation.HttpRequest;
import dev.fbf.spring.operation.HttpRequests;
import dev.fbf.spring.operation.RequestKey;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.util.UriComponentsBuilder;

/** The request that Spring MVC has bound to this thread. */
final class ServletRequests implements HttpRequests {

    private static final String FOLLOWED = ServletRequests.class.getName() + ".FOLLOWED";
    private static final String REACHED = ServletRequests.class.getName() + ".REACHED";
    private static final String KEY = ServletRequests.class.getName() + ".KEY";

    @Override
    public @Nullable HttpRequest current() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? new Current(attributes)
                : null;
    }

    /** The operations of a request whose transactions went on when their methods had returned. */
    @SuppressWarnings("unchecked") // nobody else sets the attribute
    static List<AdmittedOperation> followed(HttpServletRequest request) {
        Object followed = request.getAttribute(FOLLOWED);
        return followed == null ? List.of() : (List<AdmittedOperation>) followed;
    }

    /** Whether a guard has been asked for an operation of a request. */
    static boolean reachedOperation(HttpServletRequest request) {
        return request.getAttribute(REACHED) != null;
    }

    /** Makes known that the handler of a request takes its key. */
    static void take(RequestKey key, HttpServletRequest request) {
        request.setAttribute(KEY, key);
    }

    /** The key that the handler of a request takes; null if it takes none. */
    static @Nullable RequestKey taken(HttpServletRequest request) {
        return (RequestKey) request.getAttribute(KEY);
    }

    /** What decides on the response to a request, whatever its handler makes of it; null if nothing does. */
    static @Nullable RuntimeException decision(HttpServletRequest request) {
        RequestKey key = taken(request);
        return key == null ? null : key.decision();
    }

    /** A path as a URI, also behind a prefix of X-Forwarded-Prefix that is not the path of one. */
    static URI uri(String path) {
        try {
            return new URI(path);
        } catch (URISyntaxException e) {
            return UriComponentsBuilder.newInstance()
                    .path(path)
                    .encode()
                    .build()
                    .toUri();
        }
    }

    private record Current(ServletRequestAttributes attributes) implements HttpRequest {

        @Override
        public List<String> header(String name) {
            return Collections.list(attributes.getRequest().getHeaders(name));
        }

        @Override
        public @Nullable Long fingerprint() {
            Object request = attributes.getRequest().getAttribute(FingerprintedRequest.REQUEST);
            return request instanceof FingerprintedRequest fingerprinted ? fingerprinted.fingerprint() : null;
        }

        @Override
        public void reached() {
            attributes.getRequest().setAttribute(REACHED, true);
        }

        @Override
        public @Nullable RequestKey key() {
            return taken(attributes.getRequest());
        }

        @Override
        public void respondWith(String header, String value) {
            HttpServletResponse response = attributes.getResponse();
            if (response != null) {
                response.setHeader(header, value);
            }
        }

        @Override
        public void recordResponse(UUID operation, IntPredicate statuses, Consumer<Response> receiver) {
            ResponseFilter.want(attributes.getRequest(), operation, statuses, receiver);
        }

        @Override
        public void follow(AdmittedOperation operation) {
            List<AdmittedOperation> followed = new ArrayList<>(followed(attributes.getRequest()));
            followed.add(operation);
            attributes.getRequest().setAttribute(FOLLOWED, followed);
        }
    }
}
