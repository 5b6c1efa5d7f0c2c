package dev.fbf.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ClientArchitectureTest {

    private static final JavaClasses CLIENT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.fbf.client");

    @Test
    void theClientKnowsNeitherTheServerNorSql() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.fbf.core..", "dev.fbf.db..", "dev.fbf.spring..", "java.sql..", "javax.sql..")
                .check(CLIENT);
    }
}
