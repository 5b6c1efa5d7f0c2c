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
        return switch (message.type()) {
            case Message.PARSE -> {
                String[] nameAndText = message.strings(2);
                statements.put(nameAndText[0], nameAndText[1]);
                yield Optional.empty();
            }
            case Message.BIND -> {
                String[] portalAndStatement = message.strings(2);
                portals.put(portalAndStatement[0], statements.getOrDefault(portalAndStatement[1], ""));
                yield Optional.empty();
            }
            case Message.EXECUTE -> {
                executed.add(portals.getOrDefault(message.strings(1)[0], ""));
                yield Optional.empty();
            }
            case Message.CLOSE -> {
                (message.kind() == 'S' ? statements : portals).remove(message.nameAfterKind());
                yield Optional.empty();
            }
            case Message.DESCRIBE -> Optional.empty();
            case Message.QUERY -> {
                executed.add(message.strings(1)[0]);
                yield Optional.of(complete(true));
            }
            default -> Optional.of(complete(message.type() == Message.SYNC));
        };
    }

    private Batch complete(boolean answered) {
        Batch batch = new Batch(bytes, List.copyOf(executed), answered);
        bytes = new Bytes();
        executed = new ArrayList<>();
        return batch;
    }
}
