package dev.fbf.spring.autoconfigure;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.core.env.Environment;

/**
 * Post-processor that adds fbf's health indicators to the readiness group, unless the application configures the group's members. An
 * application that refuses operations until its recovery is complete then gets no requests.
 */
final class ReadinessGroup implements HealthEndpointGroupsPostProcessor {

    private static final String READINESS = "readiness";

    /** The names of the health indicators: their bean names without the suffix. */
    private static final Set<String> FBF = Set.of("fbf", "fbfCassandra");

    private final boolean named;

    ReadinessGroup(Environment environment) {
        Binder properties = Binder.get(environment);
        named = Stream.of("include", "exclude")
                .anyMatch(members -> properties
                        .bind("management.endpoint.health.group.readiness." + members, Bindable.setOf(String.class))
                        .isBound());
    }

    @Override
    public HealthEndpointGroups postProcessHealthEndpointGroups(HealthEndpointGroups groups) {
        HealthEndpointGroup readiness = groups.get(READINESS);
        if (named || readiness == null) {
            return groups;
        }
        Map<String, HealthEndpointGroup> additional = new HashMap<>();
        groups.getNames().forEach(name -> additional.put(name, Objects.requireNonNull(groups.get(name))));
        additional.put(READINESS, new Group(readiness));
        return HealthEndpointGroups.of(groups.getPrimary(), additional);
    }

    private record Group(HealthEndpointGroup group) implements HealthEndpointGroup {

        @Override
        public boolean isMember(String name) {
            return FBF.contains(name) || group.isMember(name);
        }

        @Override
        public boolean showComponents(SecurityContext securityContext) {
            return group.showComponents(securityContext);
        }

        @Override
        public boolean showDetails(SecurityContext securityContext) {
            return group.showDetails(securityContext);
        }

        @Override
        public StatusAggregator getStatusAggregator() {
            return group.getStatusAggregator();
        }

        @Override
        public HttpCodeStatusMapper getHttpCodeStatusMapper() {
            return group.getHttpCodeStatusMapper();
        }

        @Override
        public @Nullable AdditionalHealthEndpointPath getAdditionalPath() {
            return group.getAdditionalPath();
        }
    }
}
