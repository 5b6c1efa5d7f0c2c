package dev.fbf.loadtest.torture.pgwire;

import dev.fbf.loadtest.torture.pgwire.MessageSplitter.Message;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a client sends, in batches, with the SQL that each executes. Remembers prepared statements: once a statement has a
 * name, its text does not pass any more. Not thread-safe.
 */
final class ClientStream {

    private final Map<String, String> statements = new HashMap<>();
    private final Map<String, String> portals = new HashMap<>();
    private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private List<String> executed = new ArrayList<>();

    /** Takes a message; returns the batch, if the message completes one. */
    Optional<Batch> add(Message message) {
        bytes.writeBytes(message.bytes);
        switch (message.type) {
            case 'P' -> { // Parse
                String[] nameAndText = message.strings(0, 2);
                statements.put(nameAndText[0], nameAndText[1]);
            }
            case 'B' -> { // Bind
                String[] portalAndStatement = message.strings(0, 2);
                portals.put(portalAndStatement[0], statements.getOrDefault(portalAndStatement[1], ""));
            }
            case 'E' -> executed.add(portals.getOrDefault(message.strings(0, 1)[0], "")); // Execute
            case 'C' -> (message.first() == 'S' ? statements : portals).remove(message.strings(1, 1)[0]); // Close
            case 'D' -> {} // Describe
            case 'Q' -> {
                executed.add(message.strings(0, 1)[0]);
                return Optional.of(complete(true));
            }
            default -> {
                return Optional.of(complete(message.type == 'S')); // Sync
            }
        }
        return Optional.empty();
    }

    private Batch complete(boolean answered) {
        Batch batch = new Batch(bytes, List.copyOf(executed), answered);
        bytes = new ByteArrayOutputStream();
        executed = new ArrayList<>();
        return batch;
    }

    /**
     * What a client sends before it waits for a response: a simple query, or messages up to a Sync.
     *
     * @param answered whether the server says when it is done with it
     */
    record Batch(ByteArrayOutputStream bytes, List<String> statements, boolean answered) {

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
}
