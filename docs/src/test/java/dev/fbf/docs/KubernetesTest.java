package dev.fbf.docs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1Lifecycle;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1RollingUpdateDeployment;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;

/** The examples for Kubernetes: their fields and settings exist, and what belongs together agrees. */
@ExtendWith(Environment.OfAllTests.class)
class KubernetesTest {

    private static final String LEDGER = "kubernetes.yaml";
    private static final String FILTER = "kubernetes-filter.yaml";

    /** After a kill, for so long another process counts as alive. */
    private static final int LEASE_SECONDS = 30;

    private final Environment environment;

    KubernetesTest(Environment environment) {
        this.environment = environment;
    }

    @ParameterizedTest
    @ValueSource(strings = {LEDGER, FILTER})
    void settingsExistAndTakeTheirValues(String file) throws Exception {
        assertThat(read(file).container().getEnv()).hasSizeGreaterThan(3).allSatisfy(KubernetesTest::check);
    }

    private static void check(V1EnvVar variable) {
        Setting.check(variable.getName().toLowerCase(Locale.ROOT).replace('_', '.') + "=" + variable.getValue());
    }

    @ParameterizedTest
    @ValueSource(strings = {LEDGER, FILTER})
    void aPodHasTimeForItsShutdown(String file) throws Exception {
        Manifest manifest = read(file);
        V1Lifecycle lifecycle = manifest.container().getLifecycle();
        long preStop = lifecycle == null ? 0 : lifecycle.getPreStop().getSleep().getSeconds();
        long phase = DurationStyle.detectAndParse(manifest.variable("SPRING_LIFECYCLE_TIMEOUTPERSHUTDOWNPHASE"))
                .toSeconds();

        assertThat(manifest.pod().getTerminationGracePeriodSeconds()).isGreaterThan(preStop + 2 * phase);
    }

    @ParameterizedTest
    @ValueSource(strings = {LEDGER, FILTER})
    void selectorsAndPortsLeadToThePod(String file) throws Exception {
        Manifest manifest = read(file);
        List<IntOrString> ports = manifest.container().getPorts().stream()
                .map(V1ContainerPort::getName)
                .map(IntOrString::new)
                .toList();
        V1Service service = manifest.the(V1Service.class);

        assertThat(manifest.labels()).isNotEmpty();
        assertThat(manifest.selector().getMatchLabels()).isEqualTo(manifest.labels());
        assertThat(service.getSpec().getSelector()).isEqualTo(manifest.labels());
        assertThat(service.getSpec().getPorts())
                .isNotEmpty()
                .allSatisfy(port -> assertThat(ports).contains(port.getTargetPort()));
        assertThat(manifest.probes())
                .allSatisfy(
                        probe -> assertThat(ports).contains(probe.getHttpGet().getPort()));
    }

    @ParameterizedTest
    @ValueSource(strings = {LEDGER, FILTER})
    void probesReachTheApplicationAndOnlyReadinessDependsOnTheDatabase(String file) throws Exception {
        Manifest manifest = read(file);
        HealthEndpointGroups groups = environment.sample.bean("healthEndpointGroups", HealthEndpointGroups.class);
        V1Probe startup = manifest.container().getStartupProbe();

        for (V1Probe probe : manifest.probes()) {
            String path = probe.getHttpGet().getPath();
            boolean readiness = probe.equals(manifest.container().getReadinessProbe());
            HealthEndpointGroup members = requireNonNull(groups.get(path.substring(path.lastIndexOf('/') + 1)), path);
            assertThat(environment.sample.get(path)).as(path).contains("\"status\":\"");
            assertThat(members.isMember("fbf")).as(path).isEqualTo(readiness);
            assertThat(members.isMember("db")).as(path).isFalse();
        }
        assertThat(startup.getPeriodSeconds() * startup.getFailureThreshold()).isGreaterThan(2 * LEASE_SECONDS);
    }

    @Test
    void neverAreFewerPodsReadyThanReplicas() throws Exception {
        Manifest manifest = read(LEDGER);
        V1DeploymentSpec deployment = manifest.the(V1Deployment.class).getSpec();
        V1RollingUpdateDeployment update = deployment.getStrategy().getRollingUpdate();
        V1PodDisruptionBudget budget = manifest.the(V1PodDisruptionBudget.class);

        assertThat(deployment.getReplicas()).isEqualTo(3);
        assertThat(update.getMaxUnavailable()).isEqualTo(new IntOrString(0));
        assertThat(update.getMaxSurge().getIntValue()).isPositive();
        assertThat(budget.getSpec().getSelector().getMatchLabels()).isEqualTo(manifest.labels());
        assertThat(budget.getSpec().getMaxUnavailable().getIntValue()).isBetween(1, deployment.getReplicas() - 1);
    }

    @Test
    void filterModeHasOneProcessWithADirectoryBelowItsVolume() throws Exception {
        Manifest manifest = read(FILTER);
        V1StatefulSet set = manifest.the(V1StatefulSet.class);
        Path directory = Path.of(manifest.variable("FBF_DIRECTORY"));

        assertThat(manifest.variable("FBF_MODE")).isEqualTo("filter");
        assertThat(set.getSpec().getReplicas()).isEqualTo(1);
        assertThat(set.getSpec().getServiceName())
                .isEqualTo(manifest.the(V1Service.class).getMetadata().getName());
        assertThat(manifest.container().getVolumeMounts()).singleElement().satisfies(mount -> {
            assertThat(directory.getParent()).isEqualTo(Path.of(mount.getMountPath()));
            assertThat(set.getSpec().getVolumeClaimTemplates())
                    .extracting(V1PersistentVolumeClaim::getMetadata)
                    .singleElement()
                    .satisfies(claim -> assertThat(claim.getName()).isEqualTo(mount.getName()));
        });
    }

    @ParameterizedTest
    @CsvSource({
        "maxUnavailable: 0, maxUnavailabel: 0, The field `maxUnavailabel` in the JSON string is not defined",
        "containerPort: 8080, protocol: TCP, The required field `containerPort` is not found",
        "replicas: 3, replicas: three, NumberFormatException",
        "replicas: 3, replicas: \"3\", Expected: 3",
        "value: 20s, value: 20, Expected: 20", // Kubernetes wants a string
        "kind: Service, kind: Servcie, v1 Servcie"
    })
    void mistakesAreFound(String right, String mistake, String message) throws IOException {
        String yaml = text(LEDGER);
        assertThat(yaml).contains(right);

        assertThatThrownBy(() -> Manifest.read(yaml.replace(right, mistake))).hasMessageContaining(message);
    }

    private static Manifest read(String file) throws Exception {
        return Manifest.read(text(file));
    }

    private static String text(String file) throws IOException {
        return Files.readString(Path.of("examples", file));
    }
}
