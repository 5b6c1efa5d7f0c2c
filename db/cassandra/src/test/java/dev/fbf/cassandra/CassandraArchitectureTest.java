package dev.fbf.cassandra;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class CassandraArchitectureTest {

    private static final JavaClasses CASSANDRA = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.fbf.cassandra");

    @Test
    void itKnowsNeitherSpringNorJdbc() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "java.sql..", "javax.sql..", "dev.fbf.db..")
                .check(CASSANDRA);
    }

    @Test
    void onlyWhatAStarterUsesIsPublic() {
        classes()
                .that()
                .arePublic()
                .and()
                .areNotMemberClasses()
                .should()
                .haveNameMatching(
                        "dev\\.fbf\\.cassandra\\.(Consistency|CounterRangeException|LaneCounters|LaneIncrement"
                                + "|LaneListener|LaneSchema|LaneSettings)")
                .check(CASSANDRA);
    }
}
