package dev.fbf.loadtest.torture.wire;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a client sends before it waits for a response: a simple query, or messages up to a Sync.
 *
 * @param statements the SQL that it executes
 */
record Batch(ByteArrayOutputStream bytes, List<String> statements) {

    private static final String SCHEMA = "(\"([^\"]|\"\")*\"\\.|\\S*\\b)";
    private static final Pattern TURN = Pattern.compile(
            "\\b(update\\s+(only\\s+)?" + SCHEMA + "fbf_witness|insert\\s+into\\s+" + SCHEMA + "fbf_ledger)\\b",
            Pattern.CASE_INSENSITIVE);

    boolean begins() {
        return any("BEGIN", "START TRANSACTION", "SET AUTOCOMMIT=0");
    }

    boolean commits() {
        return any("COMMIT", "END");
    }

    boolean rollsBack() {
        return any("ROLLBACK", "ABORT");
    }

    /** Returns whether all statements are SELECTs. A function that one of them calls may still write. */
    boolean onlyReads() {
        return statements.stream()
                .allMatch(sql -> sql.stripLeading().toUpperCase(Locale.ROOT).startsWith("SELECT"));
    }

    /** Returns whether a statement updates the witness or inserts into the ledger. Reading or locking their rows does not count. */
    boolean turnsWitness() {
        return statements.stream().anyMatch(sql -> TURN.matcher(sql).find());
    }

    /** Whether a statement has one of these words, which are in lower case. */
    boolean mentionsAny(List<String> words) {
        return statements.stream()
                .map(sql -> sql.toLowerCase(Locale.ROOT))
                .anyMatch(sql -> words.stream().anyMatch(sql::contains));
    }

    /** A COMMIT PREPARED or a ROLLBACK TO SAVEPOINT ends no transaction of its own. */
    private boolean any(String... commands) {
        return statements.stream()
                .flatMap(sql -> Arrays.stream(sql.split(";", -1)))
                .map(sql -> sql.strip().toUpperCase(Locale.ROOT))
                .filter(sql -> !sql.contains(" PREPARED") && !sql.contains(" TO "))
                .anyMatch(sql -> Arrays.stream(commands)
                        .anyMatch(command -> sql.equals(command) || sql.startsWith(command + " ")));
    }
}
