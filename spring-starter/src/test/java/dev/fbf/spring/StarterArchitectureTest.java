package dev.fbf.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class StarterArchitectureTest {

    private static final JavaClasses FBF = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.fbf");

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

    @Test
    void onlyWhatAUserTypesIsPublic() {
        classes()
                .that()
                .resideInAPackage("dev.fbf.spring..")
                .and()
                .arePublic()
                .and()
                .areNotMemberClasses()
                .should()
                .haveNameMatching(
                        ".*\\.(Adaptation|Fbf(\\w*AutoConfiguration|Properties)|Idempoten(cyKey|tIncrement|tOperations|tScope)|Mode|Nodes|SqlCounters|WhenInProgress"
                                + "|\\w+Exception|(Default)?OperationObservation\\w+|OperationOutcome)")
                .check(FBF);
    }
}
