package dev.fbf.db.dialect;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.dialect.TestDialect.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.witness.Node;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupCommitContract;
import dev.fbf.db.group.GroupCommitContract.Outcome.Alone;
import dev.fbf.db.group.GroupCommitContract.Outcome.Applied;
import dev.fbf.db.group.GroupCommitContract.Outcome.Unknown;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class LedgerGroupTest extends GroupCommitContract {

    @Override
    protected GroupCommit open(Node node, DataSource dataSource, boolean callersMayCommit, CounterTable counters) {
        return new GroupCommit("test", dataSource, callersMayCommit, counters, LEDGER.group(counters));
    }

    @Test
    void whatAnotherNodeHasAppliedIsNotAppliedAgain() throws Exception {
        TestNode other = new TestNode("b");
        GroupCommit others = other.groups(FbfDatabase.COUNTERS);
        node().add(group(), "key", "home", 1);

        assertThat(other.add(others, "key", "home", 1)).isEqualTo(Alone.WITH_CLAIM);

        assertThat(values()).isEqualTo("home=1");
    }

    @Test
    void nodesThatAreToldOfTheSameOperationsAtTheSameTimeApplyEachOnceAtMost() throws Exception {
        TestNode other = new TestNode("b");
        GroupCommit others = other.groups(FbfDatabase.COUNTERS);

        List<Outcome> outcomes = together(
                IntStream.range(0, 400),
                i -> i % 2 == 0
                        ? node().add(group(), "key" + i / 2, "home", 1)
                        : other.add(others, "key" + i / 2, "home", 1));

        long applied = outcomes.stream().filter(Applied.class::isInstance).count();
        assertThat(applied).isBetween(1L, 200L);
        assertThat(outcomes)
                .filteredOn(outcome -> !(outcome instanceof Applied))
                .containsOnly(Alone.WITH_CLAIM);
        assertThat(values()).isEqualTo("home=" + applied);
        assertThat(query(database.connect(), "SELECT count(*) FROM fbf_ledger")).isEqualTo("" + applied);
    }

    @Test
    void aGroupWhoseResponseIsLostIsInDoubtAndARetryFindsItsRow() throws Exception {
        execute(database.connect(), "INSERT INTO fbf_counter (name, value) VALUES ('home', 0)");
        GroupCommit groups =
                node().groups(FbfDatabase.COUNTERS, () -> StrangeConnections.withoutResponses(database.connect()));

        assertThat(node().add(groups, "key", "home", 1))
                .isInstanceOfSatisfying(
                        Unknown.class, unknown -> assertThat(unknown.reason()).hasMessage("lost"));

        assertThat(node().add(group(), "key", "home", 1)).isEqualTo(Alone.WITH_CLAIM);
        assertThat(values()).isEqualTo("home=1");
    }

    @Test
    void theLedgerHasTheFingerprintOfTheRequestAndTheRetryWindow() throws Exception {
        Claim claim = node().claim("key", 42L);

        group().apply(claim, "home", 1, TIMEOUT);

        assertThat(LEDGER.find(database.connect(), claim.id().toUuid(), false, null))
                .isEqualTo(new Ledger.Found(42L, null, false, null, null));
        assertThat(query(database.connect(), "SELECT retention FROM fbf_ledger"))
                .isEqualTo(String.valueOf(claim.retryWindow().toSeconds()));
    }
}
