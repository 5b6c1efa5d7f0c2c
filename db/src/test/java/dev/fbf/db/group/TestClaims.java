package dev.fbf.db.group;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Claims of operations that no database has heard of. One node gives them to all tests of a class. */
public final class TestClaims implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

    private static final int ROOM = 600;

    private final List<Claim> claims = new ArrayList<>();
    private int operations;
    private @Nullable Path directory;
    private @Nullable Node node;
    private @Nullable ScopeClaims scope;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        directory = Files.createTempDirectory("claims");
        Node opened = Node.open(directory, ROOM, false);
        scope = opened.scope("scope", new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan());
        node = opened;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        claims.stream().filter(Claim::isHeld).forEach(Claim::free);
        claims.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        requireNonNull(node).close();
        try (Stream<Path> files = Files.walk(requireNonNull(directory))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Of an operation that is new. */
    public GroupedIncrement increment(String counter, long delta) {
        Claim claim = (Claim) admit(OperationId.of("scope", "", "key" + operations++));
        return increment(claim, counter, delta);
    }

    public static GroupedIncrement increment(Claim claim, String counter, long delta) {
        return new GroupedIncrement(claim, counter, delta);
    }

    /** What the next request for its operation is told. */
    Admission retry(GroupedIncrement increment) {
        return admit(increment.claim().id());
    }

    private Admission admit(OperationId id) {
        Admission admission = requireNonNull(scope).admit(id, null);
        if (admission instanceof Claim claim) {
            claims.add(claim);
        }
        return admission;
    }
}
