package dev.fbf.db.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JoinedSqlTest {

    @Test
    void aTextIsJoinedOnce() {
        String joined = JoinedSql.of("UPDATE one", "UPDATE other");

        assertThat(joined).isEqualTo("UPDATE one;\nUPDATE other");
        assertThat(JoinedSql.of("UPDATE one", "UPDATE other")).isSameAs(joined);
    }

    /** "Aa" and "BB" have the same hash. */
    @Test
    void textsWithTheSameIndexAreNotConfused() {
        assertThat(JoinedSql.of("SELECT 1", "Aa")).isEqualTo("SELECT 1;\nAa");
        assertThat(JoinedSql.of("SELECT 1", "BB")).isEqualTo("SELECT 1;\nBB");
        assertThat(JoinedSql.of("Aa", "SELECT 1")).isEqualTo("Aa;\nSELECT 1");
        assertThat(JoinedSql.of("BB", "SELECT 1")).isEqualTo("BB;\nSELECT 1");
    }
}
