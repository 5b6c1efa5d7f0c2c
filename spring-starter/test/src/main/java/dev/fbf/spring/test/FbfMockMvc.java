package dev.fbf.spring.test;

import dev.fbf.spring.FbfProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.test.web.servlet.request.RequestPostProcessor;
import org.springframework.test.web.servlet.setup.ConfigurableMockMvcBuilder;
import org.springframework.test.web.servlet.setup.MockMvcConfigurer;
import org.springframework.test.web.servlet.setup.StandaloneMockMvcBuilder;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.context.support.WebApplicationContextUtils;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/** Support for MockMvc: keys for its requests, and fbf's responses in a standalone MockMvc. */
public final class FbfMockMvc {

    private FbfMockMvc() {}

    /**
     * Adds a new key. Performing the same request a second time uses the same key, so that it is a retry.
     *
     * @return the post-processor
     */
    public static RequestPostProcessor idempotencyKey() {
        return idempotencyKey(Keys.next());
    }

    /**
     * Adds a key.
     *
     * @param key 1 to 255 printable ASCII characters; it is sent as a string, in quotes
     * @return the post-processor
     */
    public static RequestPostProcessor idempotencyKey(String key) {
        String value = Keys.quoted(key);
        return request -> {
            request.addHeader(headerOf(request), value);
            return request;
        };
    }

    private static String headerOf(MockHttpServletRequest request) {
        WebApplicationContext context = WebApplicationContextUtils.getWebApplicationContext(
                Objects.requireNonNull(request.getServletContext()));
        FbfProperties properties = context == null
                ? null
                : context.getBeanProvider(FbfProperties.class).getIfAvailable();
        return properties == null ? Keys.HEADER : properties.key().header();
    }

    /**
     * Configures a standalone MockMvc to respond as the application does: to requests without a key, to duplicates, and to operations in
     * progress. Its controllers must be beans of the application's context: an instance that the test creates is not guarded.
     *
     * @param context the application's context
     * @return the configurer, for {@code apply}
     */
    public static MockMvcConfigurer fbf(ApplicationContext context) {
        return new Standalone(context);
    }

    private record Standalone(ApplicationContext context) implements MockMvcConfigurer {

        @Override
        public void afterConfigurerAdded(ConfigurableMockMvcBuilder<?> builder) {
            if (!context.containsBean("fbfOwnResponses")) {
                throw new IllegalStateException(
                        "The context has no fbf beans for Spring MVC, so MockMvc cannot respond as the application"
                                + " does. Start it as a web application, with the webEnvironment MOCK, and without"
                                + " fbf.enabled=false.");
            }
            if (builder instanceof StandaloneMockMvcBuilder standalone) {
                builder.addFilters(
                        Objects.requireNonNull(context.getBean("fbfFingerprintFilter", FilterRegistrationBean.class)
                                .getFilter()));
                standalone.addInterceptors(context.getBean("fbfFirstResponses", HandlerInterceptor.class));
            }
        }

        @Override
        public @Nullable RequestPostProcessor beforeMockMvcCreated(
                ConfigurableMockMvcBuilder<?> builder, WebApplicationContext standalone) {
            if (builder instanceof StandaloneMockMvcBuilder) {
                HandlerExceptionResolverComposite resolvers =
                        standalone.getBean("handlerExceptionResolver", HandlerExceptionResolverComposite.class);
                List<HandlerExceptionResolver> all = new ArrayList<>();
                all.add(context.getBean("fbfOwnResponses", HandlerExceptionResolver.class));
                all.addAll(resolvers.getExceptionResolvers());
                resolvers.setExceptionResolvers(all);
                RequestMappingHandlerAdapter adapter = standalone.getBean(RequestMappingHandlerAdapter.class);
                for (String name : List.of("fbfKeyedHandlers", "fbfWrittenValues")) {
                    BeanPostProcessor processor = context.getBean(name, BeanPostProcessor.class);
                    processor.postProcessAfterInitialization(adapter, "requestMappingHandlerAdapter");
                    processor.postProcessAfterInitialization(resolvers, "handlerExceptionResolver");
                }
            }
            return null;
        }
    }
}
