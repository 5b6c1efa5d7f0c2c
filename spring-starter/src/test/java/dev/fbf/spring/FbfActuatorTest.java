package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ApplicationAvailabilityBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class FbfActuatorTest {

    private static final UUID NODE = new UUID(1, 2);

    private final Guards guards = mock();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FbfActuatorAutoConfiguration.class))
            .withBean(ApplicationAvailabilityBean.class)
            .withBean(ReadinessGate.class)
            .withBean(FbfProperties.class)
            .withBean(KeylessCalls.class)
            .withBean(Guards.class, () -> guards);

    @Test
    void isOutOfServiceUntilWhatTheLastProcessLeftIsSettled() {
        runner.run(context -> {
            HealthIndicator indicator = context.getBean(FbfHealthIndicator.class);

            assertThat(indicator.health()).extracting(Health::getStatus).isEqualTo(Status.OUT_OF_SERVICE);
            when(guards.areReady()).thenReturn(true);
            assertThat(indicator.health()).extracting(Health::getStatus).isEqualTo(Status.UP);
        });
    }

    @Test
    void healthTellsHowManyTransactionsAreInDoubt() {
        when(guards.inDoubt()).thenReturn(List.of(inDoubt()));

        runner.run(context -> assertThat(
                        context.getBean(FbfHealthIndicator.class).health().getDetails())
                .containsEntry("transactionsInDoubt", 1));
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
                            .isEqualTo(new FbfEndpoint.State(NODE, true, List.of(inDoubt()), List.of()));
                    assertThat(endpoint.decide("2a", true))
                            .extracting(WebEndpointResponse::getStatus, WebEndpointResponse::getBody)
                            .containsExactly(200, new FbfEndpoint.State(NODE, true, List.of(), List.of()));
                    assertThat(endpoint.decide("2b", true).getStatus()).isEqualTo(404);
                });
    }

    @Test
    void theEndpointIsNotExposedUnlessAskedFor() {
        runner.run(context -> assertThat(context).doesNotHaveBean(FbfEndpoint.class));
    }

    @Test
    void nothingOfItIsNeededWhereThereIsNoActuator() {
        runner.withClassLoader(
                        new FilteredClassLoader("org.springframework.boot.actuate", "org.springframework.boot.health"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("fbfHealthIndicator")
                        .doesNotHaveBean("fbfEndpoint"));
    }

    @Test
    void requestsAreRefusedUntilWhatTheLastProcessLeftIsSettled() {
        runner.run(context -> {
            ApplicationAvailability availability = context.getBean(ApplicationAvailability.class);

            AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
            assertThat(availability.getReadinessState()).isEqualTo(ReadinessState.REFUSING_TRAFFIC);

            when(guards.areReady()).thenReturn(true);
            awaitReadiness(availability, ReadinessState.ACCEPTING_TRAFFIC);
        });
    }

    @Test
    void whatSomebodyElseHasRefusedStaysRefused() {
        runner.run(context -> {
            ApplicationAvailability availability = context.getBean(ApplicationAvailability.class);
            AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);

            AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
            when(guards.areReady()).thenReturn(true);

            Thread.sleep(200); // four looks of the gate
            assertThat(availability.getReadinessState()).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
        });
    }

    private static void awaitReadiness(ApplicationAvailability availability, ReadinessState expected)
            throws InterruptedException {
        for (int i = 0; i < 200 && availability.getReadinessState() != expected; i++) {
            Thread.sleep(10);
        }
        assertThat(availability.getReadinessState()).isEqualTo(expected);
    }

    private static InDoubt inDoubt() {
        return new InDoubt("2a", "transactionManager", List.of("0123456789abcdef0123456789abcdef"), Instant.EPOCH);
    }
}
