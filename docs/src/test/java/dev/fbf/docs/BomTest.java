package dev.fbf.docs;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** The BOM as it is published: without the versions that the parent manages. */
class BomTest {

    private static final XPath XPATH = XPathFactory.newInstance().newXPath();

    @Test
    void itHasEachModuleThatIsPublishedAndNothingElse() throws Exception {
        Map<String, Document> modules = new HashMap<>();
        collect(Page.REPOSITORY, modules);
        Set<String> published = modules.values().stream()
                .filter(pom -> text(pom, "/project/packaging").isEmpty())
                .filter(pom -> isPublished(pom, modules))
                .map(pom -> "dev.fbf:" + text(pom, "/project/artifactId") + ":${project.version}")
                .collect(toSet());
        Document bom = parse(Page.REPOSITORY.resolve("spring-starter/bom/target/.flattened-pom.xml"));

        assertThat(nodes(bom, "/project/dependencyManagement/dependencies/dependency"))
                .extracting(dependency -> text(dependency, "groupId") + ":" + text(dependency, "artifactId") + ":"
                        + text(dependency, "version"))
                .containsExactlyInAnyOrderElementsOf(published);
        assertThat(text(bom, "/project/parent")).isEmpty();
    }

    private static void collect(Path directory, Map<String, Document> modules) throws Exception {
        Document pom = parse(directory.resolve("pom.xml"));
        modules.put(text(pom, "/project/artifactId"), pom);
        for (Node module : nodes(pom, "/project/modules/module")) {
            collect(directory.resolve(module.getTextContent()), modules);
        }
    }

    private static boolean isPublished(Document pom, Map<String, Document> modules) {
        Document parent = modules.get(text(pom, "/project/parent/artifactId"));
        return text(pom, "/project/properties/maven.deploy.skip").isEmpty()
                && (parent == null || isPublished(parent, modules));
    }

    private static Document parse(Path pom) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
    }

    private static String text(Node of, String path) {
        try {
            return XPATH.evaluate(path, of);
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    private static List<Node> nodes(Document of, String path) throws XPathExpressionException {
        NodeList found = (NodeList) XPATH.evaluate(path, of, XPathConstants.NODESET);
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            nodes.add(found.item(i));
        }
        return nodes;
    }
}
