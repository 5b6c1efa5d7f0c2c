package dev.fbf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.json.JSONException;
import org.skyscreamer.jsonassert.JSONAssert;
import org.skyscreamer.jsonassert.JSONCompareMode;
import org.yaml.snakeyaml.Yaml;

/** A file for Kubernetes with one workload, as the models of Kubernetes' API read it. */
record Manifest(List<Object> objects) {

    private static final Gson GSON = JSON.getGson();

    private static final Map<String, Class<?>> KINDS = Map.of(
            "apps/v1 Deployment", V1Deployment.class,
            "apps/v1 StatefulSet", V1StatefulSet.class,
            "policy/v1 PodDisruptionBudget", V1PodDisruptionBudget.class,
            "v1 Service", V1Service.class);

    /** Fails for a field that is unknown, misses or has a value of another type. */
    static Manifest read(String yaml) throws JSONException {
        List<Object> objects = new ArrayList<>();
        for (Object document : new Yaml().loadAll(yaml)) {
            JsonObject object = GSON.toJsonTree(document).getAsJsonObject();
            String kind = object.get("apiVersion").getAsString() + " "
                    + object.get("kind").getAsString();
            assertThat(KINDS).containsKey(kind);
            Object read = GSON.fromJson(object, (Type) KINDS.get(kind)); // takes a string for a number
            JSONAssert.assertEquals(object.toString(), GSON.toJson(read), JSONCompareMode.LENIENT);
            objects.add(read);
        }
        return new Manifest(objects);
    }

    <T> T the(Class<T> kind) {
        return objects.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst()
                .orElseThrow();
    }

    private boolean isDeployment() {
        return objects.stream().anyMatch(V1Deployment.class::isInstance);
    }

    V1LabelSelector selector() {
        return isDeployment()
                ? the(V1Deployment.class).getSpec().getSelector()
                : the(V1StatefulSet.class).getSpec().getSelector();
    }

    private V1PodTemplateSpec template() {
        return isDeployment()
                ? the(V1Deployment.class).getSpec().getTemplate()
                : the(V1StatefulSet.class).getSpec().getTemplate();
    }

    Map<String, String> labels() {
        return template().getMetadata().getLabels();
    }

    V1PodSpec pod() {
        return template().getSpec();
    }

    V1Container container() {
        return pod().getContainers().get(0);
    }

    List<V1Probe> probes() {
        return List.of(
                container().getStartupProbe(),
                container().getReadinessProbe(),
                container().getLivenessProbe());
    }

    /** The value of an environment variable. */
    String variable(String name) {
        return container().getEnv().stream()
                .filter(variable -> variable.getName().equals(name))
                .map(V1EnvVar::getValue)
                .findFirst()
                .orElseThrow();
    }
}
