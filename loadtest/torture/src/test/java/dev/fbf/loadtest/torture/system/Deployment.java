package dev.fbf.loadtest.torture.system;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.springframework.beans.factory.config.YamlProcessor.MatchStatus;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.FileSystemResource;

/**
 * What a Deployment of Kubernetes says of its pods.
 *
 * @param preStop how long a pod that is to end waits before its process is told
 * @param grace how long it then has, the wait included
 * @param environment variables of the process, as in {@code NAME=value}
 */
record Deployment(int replicas, Duration preStop, Duration grace, List<String> environment) {

    private static final String POD = "spec.template.spec.";
    private static final String CONTAINER = POD + "containers[0].";

    static Deployment read(Path file) {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new FileSystemResource(file));
        yaml.setDocumentMatchers(
                object -> "Deployment".equals(object.getProperty("kind")) ? MatchStatus.FOUND : MatchStatus.NOT_FOUND);
        Properties properties = Objects.requireNonNull(yaml.getObject());
        return new Deployment(
                (int) number(properties, "spec.replicas"),
                Duration.ofSeconds(number(properties, CONTAINER + "lifecycle.preStop.sleep.seconds")),
                Duration.ofSeconds(number(properties, POD + "terminationGracePeriodSeconds")),
                environment(properties));
    }

    private static long number(Properties properties, String name) {
        return Long.parseLong(properties.getProperty(name));
    }

    /** Without the variables whose values come from elsewhere. */
    private static List<String> environment(Properties properties) {
        List<String> variables = new ArrayList<>();
        for (int i = 0; properties.containsKey(variable(i) + "name"); i++) {
            String value = properties.getProperty(variable(i) + "value");
            if (value != null) {
                variables.add(properties.getProperty(variable(i) + "name") + "=" + value);
            }
        }
        return variables;
    }

    private static String variable(int index) {
        return CONTAINER + "env[" + index + "].";
    }
}
