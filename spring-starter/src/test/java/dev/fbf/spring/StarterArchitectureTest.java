package dev.fbf.spring;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.sql.Connection;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class StarterArchitectureTest {

    private static final JavaClasses FBF = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.fbf");

    private static final String STARTER = "dev.fbf.spring";

    /** The package of what users type, in the lists below. */
    private static final String API = "api";

    private static final int MOST_TYPES = 40;

    /** Each package of the starter, with those below it that it may depend on, and what is public in it. */
    private static final List<Room> ROOMS = List.of(
            new Room(
                    API,
                    "",
                    "CallerResolver Counters DuplicateOperationException FbfProperties IdempotencyKey IdempotencyKeyException"
                            + " IdempotentIncrement IdempotentOperations IdempotentScope Mode"
                            + " OperationInProgressException OperationOutcome"
                            + " OperationRefusedException OperationUnavailableException SqlCounters"),
            new Room(
                    "operation",
                    "api",
                    "Declarations Execution HttpRequest HttpRequests Operation OperationExecutor"
                            + " OperationGuard OperationGuards OperationSettings Refusals"
                            + " ReplayedResponseException RequestKey ScopeDefinition Scopes StartException UnfinishedResults"),
            new Room("method", "api operation", "GuardedMethod GuardedMethods KeyHeader OperationResolver"),
            new Room(
                    "transaction",
                    "api operation",
                    "FbfAutoConfiguration GuardedDatabase GuardedMode NodeStatus SqlOperationGuard"),
            new Room("filter", "api operation transaction", ""),
            new Room("web", "api operation method", "FbfWebAutoConfiguration"),
            new Room("autoconfigure", "api operation method transaction web", ""));

    private record Room(String name, String below, String shown) {

        String packageName() {
            return name.equals(API) ? STARTER : STARTER + "." + name;
        }
    }

    @Test
    void arrowsBetweenModulesPointOneWay() {
        noClasses()
                .that()
                .resideInAPackage("dev.fbf.core..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.fbf.db..", "dev.fbf.spring..")
                .check(FBF);
        noClasses()
                .that()
                .resideInAPackage("dev.fbf.db..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.fbf.spring..")
                .check(FBF);
    }

    @Test
    void theStarterSeesNothingOfMemory() {
        noClasses()
                .that()
                .resideInAPackage("dev.fbf.spring..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.fbf.core.memory..", "net.openhft..")
                .check(FBF);
    }

    /** A virtual thread that waits for a database with a monitor held keeps its carrier, before JDK 24. */
    @Test
    void noMonitorIsHeldWhileADatabaseIsAsked() {
        noMethods()
                .that()
                .haveModifier(JavaModifier.SYNCHRONIZED)
                .should()
                .haveRawParameterTypes(DescribedPredicate.anyElementThat(
                        assignableTo(DataSource.class).or(assignableTo(Connection.class))))
                .check(FBF);
    }

    @Test
    void arrowsBetweenRoomsPointDown() {
        LayeredArchitecture rooms = layeredArchitecture().consideringOnlyDependenciesInAnyPackage(STARTER + "..");
        for (Room room : ROOMS) {
            rooms = rooms.layer(room.name()).definedBy(room.packageName());
        }
        Set<String> below = new HashSet<>();
        for (Room room : ROOMS) {
            String[] allowed = words(room.below());
            assertThat(below).as("what is below " + room.name()).contains(allowed);
            rooms = allowed.length == 0
                    ? rooms.whereLayer(room.name()).mayNotAccessAnyLayer()
                    : rooms.whereLayer(room.name()).mayOnlyAccessLayers(allowed);
            below.add(room.name());
        }
        rooms.check(FBF);
    }

    @Test
    void aRoomIsSmallEnoughToBeKnown() {
        Map<String, Set<String>> types = typesByPackage(type -> true);

        assertThat(types.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        ROOMS.stream().map(Room::packageName).toList());
        assertThat(types.values()).allSatisfy(room -> assertThat(room).hasSizeLessThanOrEqualTo(MOST_TYPES));
    }

    @Test
    void onlyWhatAUserTypesAndWhatRoomsShowToEachOtherIsPublic() {
        Map<String, Set<String>> shown = new TreeMap<>();
        for (Room room : ROOMS) {
            shown.put(room.packageName(), Set.of(words(room.shown())));
        }
        shown.values().removeIf(Set::isEmpty);

        assertThat(typesByPackage(type -> type.getModifiers().contains(JavaModifier.PUBLIC)))
                .isEqualTo(shown);
    }

    /** The names of the types that are members of no other. */
    private static Map<String, Set<String>> typesByPackage(Predicate<JavaClass> which) {
        return FBF.stream()
                .filter(type -> (type.getPackageName() + ".").startsWith(STARTER + "."))
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .filter(which)
                .collect(Collectors.groupingBy(
                        JavaClass::getPackageName,
                        TreeMap::new,
                        Collectors.mapping(JavaClass::getSimpleName, Collectors.toCollection(TreeSet::new))));
    }

    private static String[] words(String text) {
        return Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).toArray(String[]::new);
    }
}
