package dev.fbf.db;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class DbArchitectureTest {

    private static final JavaClasses DB = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.fbf.db");

    @Test
    void dbKnowsNoSpring() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework..")
                .check(DB);
    }

    @Test
    void onlyWhatTheStarterUsesIsPublic() {
        classes()
                .that()
                .arePublic()
                .and()
                .areNotMemberClasses()
                .should()
                .haveNameMatching(
                        "dev\\.fbf\\.db\\.(Arbiter|ClockSpread|Counters|FbfSchema|GroupedIncrement|NodeLease|Proof|Recovery|Response"
                                + "|TransactionConnection|UnknownCounterException)")
                .check(DB);
    }
}
