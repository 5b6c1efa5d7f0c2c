package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.FilterInWords;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A node and its database, under any sequence of events. In the end, each operation that was retried until it
 * was applied has been applied once.
 */
final class GuardedLife {

    /** Something that happens, as often as its weight says, or only when it is asked for; {@code amount} is from 0 to 999. */
    enum Event {
        BEGIN(14),
        ADD(2),
        SEND_COMMIT(12),
        HEAR_THAT_IT_COMMITTED(12),
        HEAR_NOTHING(2),
        ROLL_BACK(2),
        LOSE_CONNECTION(2),
        WITHDRAW(0),
        MISPLACE(0),
        DECIDE(0),
        DELIVER_LATE_COMMIT(2),
        SETTLE(2),
        DIE(3),
        DIE_AT_A_STORE(3);

        private final int weight;

        Event(int weight) {
            this.weight = weight;
        }

        /** Each as many times as its weight. */
        static List<Event> weighted() {
            return Stream.of(values())
                    .flatMap(event -> Collections.nCopies(event.weight, event).stream())
                    .toList();
        }
    }

    record Step(Event event, int amount) {

        private static final List<Event> EVENTS = Event.weighted();

        /** Reads steps such as {@code BEGIN 1,ADD 2}. */
        static List<Step> all(String steps) {
            return Stream.of(steps.split(","))
                    .map(step -> step.split(" "))
                    .map(step -> new Step(Event.valueOf(step[0]), Integer.parseInt(step[1])))
                    .toList();
        }

        static Step random(Random random) {
            return new Step(EVENTS.get(random.nextInt(EVENTS.size())), random.nextInt(1_000));
        }
    }

    /** A node without one of its precautions. */
    enum Weakness {
        NONE,
        CLAIMS_ARE_FREED_BEFORE_THE_FILTER_HOLDS_THE_OPERATIONS,
        SETTLED_WITHOUT_A_FENCE
    }

    private static final int MAX_CLAIMS = 4;
    private static final int OPERATIONS = 7;
    private static final List<String> SCOPES = List.of("views", "likes");
    private static final int MOST_STORES = 60;

    private final Weakness weakness;
    private final FakeDatabase witness = new FakeDatabase();
    private final List<FakeDatabase.Commit> late = new ArrayList<>();
    private final Map<String, Words> filters = new TreeMap<>();
    private final Words claims = new HeapWords(ClaimLayout.words(MAX_CLAIMS));

    private final List<WitnessedTransaction> open = new ArrayList<>();
    private final List<WitnessedTransaction> sent = new ArrayList<>();
    /** The tokens of transactions that did nothing: if the process dies before they have ended, their outcome is not known. */
    private final Set<Long> mismatched = new HashSet<>();

    final Stores stores = new Stores();
    HeapNode node;

    GuardedLife(Weakness weakness) {
        this.weakness = weakness;
        SCOPES.forEach(scope -> filters.put(scope, new HeapWords(FilterInWords.size())));
        HeapNode.initialize(claims, MAX_CLAIMS, filters.values());
        node = start();
    }

    void live(Step step) {
        try {
            happen(step.event, step.amount);
        } catch (Death e) {
            die();
        } catch (StorageException e) {
            if (!stores.haveFailed()) {
                throw e;
            }
            // a program may catch what other events throw, such as its rollback to a savepoint
            if (step.event == Event.ADD) {
                List.copyOf(open).forEach(this::rollBack);
            }
        }
    }

    /** Lets everything come to its end, and checks it. */
    void end() {
        stores.heal();
        List.copyOf(open).forEach(this::rollBack);
        List.copyOf(sent).forEach(this::hear);
        SCOPES.forEach(node::scope);
        settleAll();
        late.forEach(witness::commit);
        for (int operation = 0; operation < OPERATIONS; operation++) {
            retryUntilApplied(operation);
        }
        assertThat(node.database.inDoubt()).isZero();
        assertThat(node.claims.held()).isZero();
        assertThat(node.written()).isEmpty();
    }

    private void happen(Event event, int amount) {
        switch (event) {
            case BEGIN -> begin(amount);
            case ADD -> add(amount);
            case SEND_COMMIT -> one(open, amount, this::send);
            case HEAR_THAT_IT_COMMITTED -> one(sent, amount, this::hear);
            case HEAR_NOTHING -> one(sent, amount, transaction -> hearNothing(transaction, amount));
            case ROLL_BACK -> one(open, amount, this::rollBack);
            case LOSE_CONNECTION ->
                one(open, amount, transaction -> {
                    open.remove(transaction);
                    transaction.inDoubt();
                });
            case WITHDRAW ->
                one(open, amount, transaction -> {
                    open.remove(transaction);
                    transaction.withdraw().forEach(Claim::free);
                });
            case MISPLACE ->
                one(open, amount, transaction -> {
                    open.remove(transaction);
                    mismatch(transaction);
                });
            case DECIDE -> node.database.settleable().forEach(transaction -> transaction.decide(true));
            case DELIVER_LATE_COMMIT -> {
                if (!late.isEmpty()) {
                    witness.commit(late.remove(amount % late.size()));
                }
            }
            case SETTLE -> settleAll();
            case DIE -> die();
            case DIE_AT_A_STORE -> stores.dieAfter(amount % MOST_STORES);
        }
    }

    private void begin(int amount) {
        if (admit(amount % OPERATIONS) instanceof Claim claim) {
            if (amount % 11 == 0) {
                claim.free();
            } else {
                updateRow(node.database.transaction(claim), amount);
            }
        }
    }

    /** Updates the row, after any earlier transaction in the slot that is still on the way to COMMIT. */
    private void updateRow(WitnessedTransaction transaction, int amount) {
        for (FakeDatabase.Commit commit : List.copyOf(late)) {
            if (commit.slot() == transaction.slot()) {
                late.remove(commit);
                if (amount % 2 == 0) {
                    witness.commit(commit);
                }
            }
        }
        if (witness.token(transaction.slot()) == transaction.previous()) {
            open.add(transaction);
        } else {
            mismatch(transaction);
        }
    }

    private void add(int amount) {
        if (!open.isEmpty() && admit(amount % OPERATIONS) instanceof Claim claim) {
            one(open, amount, transaction -> transaction.add(claim));
        }
    }

    private void hear(WitnessedTransaction transaction) {
        sent.remove(transaction);
        if (witness.commit(transaction)) {
            if (weakness == Weakness.CLAIMS_ARE_FREED_BEFORE_THE_FILTER_HOLDS_THE_OPERATIONS) {
                node.written().stream()
                        .filter(entry -> entry.next() == transaction.next())
                        .forEach(entry -> new ClaimRecords(stores.of(claims)).free(entry.recordIndex()));
            }
            transaction.committed();
        } else {
            mismatch(transaction);
        }
    }

    private void mismatch(WitnessedTransaction transaction) {
        mismatched.add(transaction.next());
        transaction.mismatched();
    }

    private void hearNothing(WitnessedTransaction transaction, int amount) {
        sent.remove(transaction);
        FakeDatabase.Commit commit = FakeDatabase.Commit.of(transaction);
        switch (amount % 3) {
            case 0 -> witness.commit(commit);
            case 1 -> late.add(commit);
            default -> {
                // it was lost on its way
            }
        }
        transaction.inDoubt();
    }

    private void send(WitnessedTransaction transaction) {
        try {
            transaction.beforeCommit();
        } catch (StorageException e) {
            rollBack(transaction);
            return;
        }
        open.remove(transaction);
        sent.add(transaction);
    }

    private void rollBack(WitnessedTransaction transaction) {
        open.remove(transaction);
        transaction.rolledBack();
    }

    private void settleAll() {
        for (WitnessedTransaction transaction : node.database.settleable()) {
            if (weakness == Weakness.SETTLED_WITHOUT_A_FENCE) {
                long token = witness.token(transaction.slot());
                transaction.settled(token == transaction.next(), token);
                continue;
            }
            witness.settle(transaction);
            long token = witness.token(transaction.slot());
            if (token != transaction.next() && token != ~transaction.next()) {
                decide(transaction);
            }
        }
    }

    /** The decision of an operator when the witness cannot settle a transaction. */
    private void decide(WitnessedTransaction transaction) {
        if (!transaction.operations().isEmpty()) {
            assertThat(mismatched)
                    .as("all that an operator should have to decide")
                    .contains(transaction.next());
            transaction.decide(false);
            witness.settle(transaction);
        }
    }

    /** Ends the process as {@code kill -9} does, and starts the next one. */
    void die() {
        sent.forEach(transaction -> late.add(FakeDatabase.Commit.of(transaction)));
        open.clear();
        sent.clear();
        stores.heal();
        node = start();
    }

    private HeapNode start() {
        Map<String, Words> filtersOfLife = new TreeMap<>();
        filters.forEach((scope, words) -> filtersOfLife.put(scope, stores.of(words)));
        return new HeapNode(stores.of(claims), filtersOfLife, MAX_CLAIMS, witness);
    }

    private void retryUntilApplied(int operation) {
        for (int tries = 0; tries < MAX_CLAIMS + 1 && admit(operation) instanceof Claim claim; tries++) {
            WitnessedTransaction transaction = node.database.transaction(claim);
            transaction.beforeCommit();
            hear(transaction);
            settleAll();
        }
        assertThat(admit(operation)).isEqualTo(Refusal.APPLIED);
    }

    private Admission admit(int operation) {
        OperationId id = new OperationId(operation, 5);
        Admission admission = node.scope(SCOPES.get(operation % SCOPES.size())).admit(id, null);
        if (admission == Refusal.APPLIED) {
            requireAppliedOnce(id);
        }
        return admission;
    }

    private void requireAppliedOnce(OperationId id) {
        if (witness.timesApplied(id) != 1) {
            throw new NotAppliedOnce("applied " + witness.timesApplied(id) + " times: " + id);
        }
    }

    /** The effect of a weakness; any other failure is a defect. */
    static final class NotAppliedOnce extends AssertionError {

        private static final long serialVersionUID = 1L;

        NotAppliedOnce(String message) {
            super(message);
        }
    }

    private static void one(List<WitnessedTransaction> of, int amount, Consumer<WitnessedTransaction> happening) {
        if (!of.isEmpty()) {
            happening.accept(of.get(amount % of.size()));
        }
    }

    /** Lives through so many steps, always the same for the same seed. */
    static void live(Weakness weakness, long seed) {
        Random random = new Random(seed);
        GuardedLife life = new GuardedLife(weakness);
        IntStream.range(0, 60).mapToObj(i -> Step.random(random)).forEach(life::live);
        life.end();
    }
}
