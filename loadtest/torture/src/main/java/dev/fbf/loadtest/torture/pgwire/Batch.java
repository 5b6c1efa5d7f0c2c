package dev.fbf.loadtest.torture.pgwire;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a client sends before it waits for a response: a simple query, or messages up to a Sync.
 *
 * @param answered whether the server says when it is done with it
 */
record Batch(Bytes bytes, List<String> statements, boolean answered) {

    private static final String SCHEMA = "(\"([^\"]|\"\")*\"\\.|\\S*\\b)";

    private static final Pattern TURN = Pattern.compile(
            "\\b(update\\s+(only\\s+)?" + SCHEMA + "fbf_witness|insert\\s+into\\s+" + SCHEMA + "fbf_ledger)\\b",
            Pattern.CASE_INSENSITIVE);

    boolean begins() {
        return any("BEGIN", "START TRANSACTION");
    }

    boolean commits() {
        return any("COMMIT", "END");
    }

    boolean rollsBack() {
        return any("ROLLBACK", "ABORT");
    }

    /** Tells whether nothing is written; a function that is called may write all the same. */
    boolean onlyReads() {
        return statements.stream()
                .allMatch(sql -> sql.stripLeading().toUpperCase(Locale.ROOT).startsWith("SELECT"));
    }

    /** Tells whether a witness is turned, or an operation enters the ledger; to read one, even locked, guards nothing. */
    boolean turnsWitness() {
        return statements.stream().anyMatch(sql -> TURN.matcher(sql).find());
    }

    boolean mentionsAny(List<String> tables) {
        return statements.stream()
                .map(sql -> sql.toLowerCase(Locale.ROOT))
                .anyMatch(sql -> tables.stream().anyMatch(sql::contains));
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

    /** Bytes that grow and can be sent. */
    static final class Bytes extends ByteArrayOutputStream {

        /** The bytes themselves, valid up to {@link #size}. */
        byte[] array() {
            return buf;
        }
    }
}
