package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.AbsentLibraries;
import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import graphql.GraphQLError;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.graphql.autoconfigure.GraphQlSourceBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.GraphQlExceptionHandler;
import org.springframework.graphql.data.method.annotation.MutationMapping;
import org.springframework.stereotype.Controller;
import tools.jackson.databind.JsonNode;

/** Mutations of Spring for GraphQL, over real HTTP: methods of a controller without a request mapping. */
@GuardedApp(
        beans = {GraphQlTest.Orders.class, GraphQlTest.Schema.class},
        properties = AbsentLibraries.NONE)
class GraphQlTest extends HttpAppTest {

    private static final AtomicInteger made = new AtomicInteger();

    @BeforeEach
    void forget() {
        made.set(0);
    }

    @Test
    void aRetryGetsTheResultOfOnDuplicate() throws Exception {
        assertThat(mutate("order").at("/data/order").asString()).isEqualTo("ordered");

        assertThat(mutate("order").at("/data/order").asString()).isEqualTo("ordered before");
        assertThat(made).hasValue(1);
    }

    @Test
    void aRetryWithoutOnDuplicateIsAnErrorThatTheControllerCanHandle() throws Exception {
        assertThat(mutate("ship").at("/data/ship").asString()).isEqualTo("shipped");

        assertThat(mutate("ship").at("/errors/0/message").asString()).isEqualTo("applied before, as it says");
        assertThat(made).hasValue(1);
    }

    @Test
    void aRetryOfAVoidMethodIsNoError() throws Exception {
        JsonNode first = mutate("cancel");

        assertThat(mutate("cancel")).isEqualTo(first).isEqualTo(HttpApp.json("{\"data\": {\"cancel\": null}}"));
        assertThat(made).hasValue(1);
    }

    @Test
    void aRetryWithTheKeyInTheHeaderGetsTheResultOfOnDuplicateToo() throws Exception {
        assertThat(mutate("pay").at("/data/pay").asString()).isEqualTo("paid");

        assertThat(mutate("pay").at("/data/pay").asString()).isEqualTo("paid before");
        assertThat(made).hasValue(1);
    }

    @Test
    void theStartNamesMethodsWhoseRetriesAreErrors() {
        assertThat(startLog)
                .containsPattern("WARN .*Retries of \\[Orders\\.ship\\(String\\)] throw a DuplicateOperationException")
                .doesNotContain("clients get 204");
    }

    private JsonNode mutate(String mutation) throws Exception {
        String query = "{\"query\": \"mutation { " + mutation + "(id: \\\"" + key + "\\\") }\"}";
        HttpResponse<String> response = app.send("POST", "/graphql", key, "application/json", query.getBytes(UTF_8));
        assertThat(status(response)).as(response.body()).isEqualTo("200");
        return HttpApp.json(response);
    }

    static class Schema {

        @Bean
        static GraphQlSourceBuilderCustomizer mutations() {
            String schema = """
                    type Query { orders: Int }
                    type Mutation { order(id: ID): String ship(id: ID): String cancel(id: ID): String pay(id: ID): String }
                    """;
            return builder -> builder.schemaResources(new ByteArrayResource(schema.getBytes(UTF_8)));
        }
    }

    @Controller
    static class Orders {

        @MutationMapping
        @IdempotentIncrement(scope = "order", key = "#id", onDuplicate = "orderedBefore")
        String order(@Argument String id) {
            made.incrementAndGet();
            return "ordered";
        }

        String orderedBefore(String id) {
            return "ordered before";
        }

        @MutationMapping
        @IdempotentIncrement(scope = "ship", key = "#id")
        String ship(@Argument String id) {
            made.incrementAndGet();
            return "shipped";
        }

        @MutationMapping
        @IdempotentIncrement(scope = "cancel", key = "#id")
        void cancel(@Argument String id) {
            made.incrementAndGet();
        }

        @MutationMapping
        @IdempotentIncrement(scope = "pay", onDuplicate = "paidBefore")
        String pay(@Argument String id) {
            made.incrementAndGet();
            return "paid";
        }

        String paidBefore(String id) {
            return "paid before";
        }

        @GraphQlExceptionHandler
        GraphQLError handle(DuplicateOperationException e) {
            return GraphQLError.newError().message("applied before, as it says").build();
        }
    }
}
