package dev.fbf.docs;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Commands, statements, requests and settings within the text of the pages. */
@ExtendWith(Environment.OfAllTests.class)
@TestInstance(PER_CLASS)
class InlineCodeTest {

    private static final Pattern SETTING =
            Pattern.compile("(fbf|spring|management|logging|server)\\.[a-z0-9.\\[\\]-]+=.*", Pattern.CASE_INSENSITIVE);
    private static final Pattern NAME = Pattern.compile("fbf\\.[a-z0-9.-]+");
    private static final Set<String> METERS = meters();
    private static final Pattern STATEMENT = Pattern.compile("(SELECT|INSERT|UPDATE|DELETE|TRUNCATE) .*(fbf_).*");
    private static final Pattern REQUEST = Pattern.compile("(GET|POST|PUT|PATCH|DELETE) /.*");

    private final Environment environment;

    InlineCodeTest(Environment environment) {
        this.environment = environment;
    }

    private static Stream<Page.Code> code(Predicate<String> wanted) {
        return Page.all().stream().flatMap(page -> page.inline().stream()).filter(code -> wanted.test(code.text()));
    }

    static Stream<Page.Code> mavenCommands() {
        return code(text -> text.startsWith("mvn "));
    }

    static Stream<Page.Code> settings() {
        return code(SETTING.asMatchPredicate());
    }

    static Stream<Page.Code> names() {
        return code(NAME.asMatchPredicate());
    }

    static Stream<Page.Code> statements() {
        return code(STATEMENT.asMatchPredicate().and(text -> !text.contains("…")));
    }

    static Stream<Page.Code> requests() {
        return code(REQUEST.asMatchPredicate());
    }

    @ParameterizedTest
    @MethodSource
    void mavenCommands(Page.Code code) {
        MavenCommand.check(code.text());
    }

    @ParameterizedTest
    @MethodSource
    void settings(Page.Code code) {
        Setting.check(code.text());
    }

    /** Of a property, a group of properties, a meter or a file in fbf's directory. */
    @ParameterizedTest
    @MethodSource
    void names(Page.Code code) throws Exception {
        Path file = environment.directory.resolve("sample/fbf").resolve(code.text());
        assertThat(Setting.isKnown(code.text()) || METERS.contains(code.text()) || Files.exists(file))
                .as("%s is no property, meter or file", code)
                .isTrue();
    }

    /** The meters in the tables of the pages: other tests compare those with the real ones. */
    private static Set<String> meters() {
        return Page.all().stream()
                .flatMap(page -> page.text().lines())
                .filter(line -> line.startsWith("| `fbf.") && line.contains("` | "))
                .map(line -> line.replaceAll("\\| `([^`]*)`.*", "$1"))
                .collect(toSet());
    }

    @ParameterizedTest
    @MethodSource
    void statements(Page.Code code) throws Exception {
        try (Connection connection = environment.sampleDatabase.getConnection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute(code.text());
            connection.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource
    void requests(Page.Code code) {
        String request = withoutNames(code.text());
        assertThat(mappings()).anyMatch(mapping -> matches(mapping, request));
    }

    private Set<String> mappings() {
        Stream<String> controllers = environment
                .sample
                .bean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                .getHandlerMethods()
                .keySet()
                .stream()
                .flatMap(mapping -> mapping.getMethodsCondition().getMethods().stream()
                        .flatMap(method -> mapping.getPatternValues().stream().map(path -> method + " " + path)));
        Stream<String> endpoints =
                environment.sample.bean("webEndpointDiscoverer", WebEndpointsSupplier.class).getEndpoints().stream()
                        .flatMap(endpoint -> endpoint.getOperations().stream())
                        .map(WebOperation::getRequestPredicate)
                        .map(request -> request.getHttpMethod() + " /actuator/" + request.getPath());
        return Stream.concat(controllers, endpoints)
                .map(InlineCodeTest::withoutNames)
                .collect(toSet());
    }

    /** A variable of the mapping may have a value in the request. */
    private static boolean matches(String mapping, String request) {
        return Pattern.compile("\\Q" + mapping.replace("{}", "\\E(\\{}|[^/]+)\\Q") + "\\E")
                .matcher(request)
                .matches();
    }

    private static String withoutNames(String path) {
        return path.replaceAll("\\?.*", "").replaceAll("\\{[^}]+}", "{}");
    }
}
