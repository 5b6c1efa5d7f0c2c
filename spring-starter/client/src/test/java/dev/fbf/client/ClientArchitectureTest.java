package dev.fbf.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
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

    @Test
    void onlyWhatMayBeAbsentKnowsWebFluxAndFeign() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        ".*\\.(IdempotentWebClientFilter|ReactiveIdempotencyKeys|FbfClientAutoConfiguration)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("reactor..", "org.springframework.web.reactive..")
                .check(CLIENT);
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.(IdempotentFeignInterceptor|FbfClientAutoConfiguration\\$.*)")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("feign..")
                .check(CLIENT);
    }

    @Test
    void onlyWhatAUserTypesIsPublic() {
        classes()
                .that()
                .arePublic()
                .and()
                .areNotMemberClasses()
                .should()
                .haveNameMatching(
                        ".*\\.(FbfClient(AutoConfiguration|Properties)|(Reactive)?IdempotencyKeys|Idempotent\\w+(Interceptor|Filter))")
                .check(CLIENT);
    }
}
