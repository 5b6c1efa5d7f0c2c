package dev.fbf.db;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import dev.fbf.db.connection.Sql;
import java.sql.Connection;
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
    void roomsHaveNoCycles() {
        SlicesRuleDefinition.slices()
                .matching("dev.fbf.(**)")
                .should()
                .beFreeOfCycles()
                .check(DB);
    }

    /** Filter mode's room, PostgreSQL's own, has SQL too. */
    @Test
    void theSqlOfLedgerModeIsTheDialects() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.fbf.db", "dev.fbf.db.ledger", "dev.fbf.db.group", "dev.fbf.db.counter")
                .should()
                .callMethodWhere(target(nameMatching("prepareStatement|createStatement|prepareCall"))
                        .and(target(owner(assignableTo(Connection.class)))))
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Sql.class)
                .check(DB);
    }

    /** What other modules use. */
    private static final String SEAM =
            "Counters|Dialect|FbfSchema|GroupCommit|GroupedIncrement|LedgerStore|LedgerScopes|NodeLease|OperationStore|OperationTransaction|Pauses|Reachability"
                    + "|Response|StoreException|TransactionConnection|UnknownCounterException|WitnessStore";

    @Test
    void whatIsPublicIsUsedByAnotherRoomOrModule() {
        classes()
                .that()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .and()
                .haveNameNotMatching("dev\\.fbf\\.db\\.([a-z]+\\.)?(" + SEAM + ")")
                .should(new ArchCondition<>("be used by another room") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        boolean isUsed = type.getDirectDependenciesToSelf().stream()
                                .map(dependency -> dependency.getOriginClass().getPackageName())
                                .anyMatch(origin -> !origin.equals(type.getPackageName()));
                        events.add(
                                new SimpleConditionEvent(type, isUsed, type.getName() + " is used in its room alone"));
                    }
                })
                .check(DB);
    }
}
