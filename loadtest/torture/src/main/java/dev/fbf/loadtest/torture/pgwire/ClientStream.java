package dev.fbf.loadtest.torture.pgwire;

import dev.fbf.loadtest.torture.pgwire.Batch.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a client sends, in batches, with the SQL that each executes. Remembers prepared statements: once a statement has a
 * name, its text does not pass any more. Not thread-safe.
 */
final class ClientStream {

    private final Map<String, String> statements = new HashMap<>();
    private final Map<String, String> portals = new HashMap<>();
    private Bytes bytes = new Bytes();
    private List<String> executed = new ArrayList<>();

    /** Takes a message; returns the batch, if the message completes one. */
    Optional<Batch> add(Message message) {
        bytes.writeBytes(message.bytes());
        switch (message.type()) {
            case Message.PARSE -> {
                String[] nameAndText = message.strings(2);
                statements.put(nameAndText[0], nameAndText[1]);
            }
            case Message.BIND -> {
                String[] portalAndStatement = message.strings(2);
                portals.put(portalAndStatement[0], statements.getOrDefault(portalAndStatement[1], ""));
            }
            case Message.EXECUTE -> executed.add(portals.getOrDefault(message.strings(1)[0], ""));
            case Message.CLOSE -> (message.first() == 'S' ? statements : portals).remove(message.nameAfterFirst());
            case Message.DESCRIBE -> {}
            case Message.QUERY -> {
                executed.add(message.strings(1)[0]);
                return Optional.of(complete(true));
            }
            default -> {
                return Optional.of(complete(message.type() == Message.SYNC));
            }
        }
        return Optional.empty();
    }

    private Batch complete(boolean answered) {
        Batch batch = new Batch(bytes, List.copyOf(executed), answered);
        bytes = new Bytes();
        executed = new ArrayList<>();
        return batch;
    }
}
