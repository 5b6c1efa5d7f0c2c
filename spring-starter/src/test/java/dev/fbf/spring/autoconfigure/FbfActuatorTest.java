package dev.fbf.spring.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.operation.BoundProperties;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.transaction.NodeStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.Operation;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

class FbfActuatorTest {

    private static final UUID NODE = new UUID(1, 2);

    private final NodeStatus guards = mock();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FbfActuatorAutoConfiguration.class))
            .withBean(FbfProperties.class, BoundProperties::of)
            .withBean(OperationGuards.class, Mockito::mock)
            .withBean(NodeStatus.class, () -> guards);

    /** Nothing is counted twice or lost, and restarting all nodes would not help: a health check is not to do that. */
    @Test
    void isDegradedAndStillServedWhileAFilterCannotBeRefreshed() {
        Map<String, String> failures = Map.of("views", "java.lang.InternalError: a fault occurred");
        when(guards.failures()).thenReturn(failures).thenReturn(Map.of()).thenReturn(failures);

        assertDegradedOnce("failures", failures, indicator -> {
            when(guards.areReady()).thenReturn(false);

            assertThat(indicator.health())
                    .satisfies(starting -> assertThat(starting.getStatus()).isEqualTo(Status.OUT_OF_SERVICE))
                    .satisfies(starting -> assertThat(starting.getDetails()).containsKey("failures"));
        });
    }

    /** New operations are applied. */
    @Test
    void isDegradedAndStillServedUntilAnOperatorHasAcceptedThatCommitsWereLost() {
        Map<String, Object> lost = Map.of("views", Instant.EPOCH);
        when(guards.lostCommits()).thenReturn(lost).thenReturn(Map.of());

        assertDegradedOnce("lostCommits", lost, indicator -> {});
    }

    private void assertDegradedOnce(String detail, Object value, Consumer<HealthIndicator> then) {
        when(guards.areReady()).thenReturn(true);

        runner.run(context -> {
            HealthIndicator indicator = context.getBean(FbfHealthIndicator.class);
            Health health = requireNonNull(indicator.health());

            assertThat(health.getStatus().getCode()).isEqualTo("DEGRADED");
            assertThat(health.getDetails()).containsEntry(detail, value);
            assertThat(HttpCodeStatusMapper.getDefault().getStatusCode(health.getStatus()))
                    .isEqualTo(200);
            assertThat(StatusAggregator.getDefault().getAggregateStatus(Status.UP, health.getStatus()))
                    .isEqualTo(Status.UP);
            assertThat(indicator.health()).extracting(Health::getStatus).isEqualTo(Status.UP);
            then.accept(indicator);
        });
    }

    @Test
    void theEndpointListsWhatIsInDoubtAndTakesDecisions() {
        when(guards.nodeId()).thenReturn(NODE);
        when(guards.areReady()).thenReturn(true);
        when(guards.inDoubt()).thenReturn(List.of(inDoubt())).thenReturn(List.of());
        when(guards.decide("2a", true)).thenReturn(true);

        runner.withPropertyValues("management.endpoints.web.exposure.include=fbf")
                .run(context -> {
                    FbfEndpoint endpoint = context.getBean(FbfEndpoint.class);

                    assertThat(endpoint.state())
                            .isEqualTo(new FbfEndpoint.State(NODE, true, List.of(inDoubt()), Map.of(), List.of()));
                    assertThat(endpoint.decide("2a", true))
                            .extracting(WebEndpointResponse::getStatus, WebEndpointResponse::getBody)
                            .containsExactly(200, new FbfEndpoint.State(NODE, true, List.of(), Map.of(), List.of()));
                    assertThat(endpoint.decide("2b", true).getStatus()).isEqualTo(404);
                });
    }

    @ParameterizedTest
    @CsvSource({"'', false", "UNRESTRICTED, true", "READ_ONLY, false"})
    void theEndpointDecidesWhereItsAccessIsUnrestricted(String access, boolean decides) {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        FbfActuatorAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class))
                .withBean(FbfProperties.class, BoundProperties::of)
                .withBean(OperationGuards.class, Mockito::mock)
                .withBean(NodeStatus.class, () -> guards)
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=*",
                        access.isEmpty() ? "a=b" : "management.endpoint.fbf.access=" + access)
                .run(context -> assertThat(context.getBean(WebEndpointsSupplier.class).getEndpoints().stream()
                                .filter(endpoint ->
                                        endpoint.getEndpointId().toString().equals("fbf"))
                                .flatMap(endpoint -> endpoint.getOperations().stream())
                                .map(Operation::getType))
                        .contains(OperationType.READ)
                        .matches(types -> types.contains(OperationType.WRITE) == decides, "decides: " + decides));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.server.port=", // as Spring Boot sets it up
                "management.endpoint.health.group.readiness.include=ping,fbf",
                "management.endpoint.health.group.readiness.additional-path=server:/readyz"
            })
    void theReadinessGroupIsOutOfServiceUntilWhatTheLastProcessLeftIsSettled(String property) {
        withProbes(property, context -> {
            assertThat(status(context, "readiness")).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(status(context, "liveness")).isEqualTo(Status.UP);
            when(guards.areReady()).thenReturn(true);
            assertThat(status(context, "readiness")).isEqualTo(Status.UP);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoint.health.group.readiness.include=ping",
                "management.endpoint.health.group.readiness.include[0]=readinessState",
                "management.endpoint.health.group.readiness.exclude=fbf"
            })
    void theReadinessGroupHasTheMembersThatTheApplicationNames(String property) {
        withProbes(property, context -> assertThat(status(context, "readiness")).isEqualTo(Status.UP));
    }

    private void withProbes(String property, ContextConsumer<AssertableApplicationContext> consumer) {
        runner.withConfiguration(AutoConfigurations.of(
                        EndpointAutoConfiguration.class,
                        ApplicationAvailabilityAutoConfiguration.class,
                        HealthContributorAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        HealthEndpointAutoConfiguration.class,
                        AvailabilityHealthContributorAutoConfiguration.class,
                        AvailabilityProbesAutoConfiguration.class))
                .withPropertyValues(property)
                .run(context -> {
                    AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
                    AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
                    consumer.accept(context);
                });
    }

    private static Status status(AssertableApplicationContext context, String group) {
        return requireNonNull(context.getBean(HealthEndpoint.class).healthForPath(group))
                .getStatus();
    }

    private static NodeStatus.InDoubt inDoubt() {
        return new NodeStatus.InDoubt(
                "2a", "transactionManager", List.of("0123456789abcdef0123456789abcdef"), Instant.EPOCH);
    }
}
