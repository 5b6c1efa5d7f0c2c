package dev.fbf.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class CoreArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.fbf.core");

    @Test
    void coreKnowsNeitherSpringNorJdbc() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "java.sql..", "javax.sql..")
                .check(CORE);
    }

    @Test
    void onlyTheMemoryPackageKnowsChronicle() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.fbf.core.memory")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("net.openhft..")
                .check(CORE);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.fbf.(core.*)..").should().beFreeOfCycles().check(CORE);
    }
}
