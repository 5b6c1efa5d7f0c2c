package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.method.CallerOfTheTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;

/** Operations of a program that has no annotated method. */
@GuardedApp
class IdempotentOperationsTest extends CountingAppTest {

    private final String order = "order-" + UUID.randomUUID();
    private final IdempotencyKey key = IdempotencyKey.of(order);

    private IdempotentOperations operations;
    private IdempotentScope scope;

    @BeforeEach
    void find() {
        operations = app.bean(IdempotentOperations.class);
        scope = operations.scope("payments");
    }

    private int add() {
        return jdbc.sql("UPDATE counted SET value = value + 1").update();
    }

    @Test
    void returnWhatTheWorkReturnsAndForADuplicateWhatStandsInForIt() {
        assertThat(scope.execute(key, () -> "added " + add(), () -> "added before"))
                .isEqualTo("added 1");
        assertThat(scope.execute(key, () -> "added " + add(), () -> "added before"))
                .isEqualTo("added before");
    }

    @Test
    void ofTwoCallersOrScopesAreTwo() {
        assertThat(scope.caller("a").execute(key, this::add)).isTrue();
        assertThat(scope.caller("b").execute(key, this::add)).isTrue();
        assertThat(scope.caller("a").execute(key, this::add)).isFalse();
        assertThat(operations.scope("refunds").execute(key, this::add)).isTrue();
    }

    @Test
    void areTheSameAsThoseOfAnAnnotatedMethodWithTheirScope() {
        assertThat(app.counter.count(order)).isEqualTo("counted");

        assertThat(operations.scope("counter").caller(CallerOfTheTest.current()).execute(key, this::add))
                .isFalse();
    }

    @Test
    void ofABatchTakeNoKeyOfARequest() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scope.executeAll(List.of("a"), item -> new RequestKey(item, ""), items -> {}))
                .withMessageContaining("the key of a request names one operation");
    }

    @Test
    void areRememberedForTheWindowThatTheirScopeDeclares() {
        scopeFor(Duration.ofDays(30)).execute(key, this::add);

        assertThat(app.bean(Scopes.class).of("invoices").retryWindow()).isEqualTo(Duration.ofDays(30));
        assertThatExceptionOfType(StartException.class)
                .isThrownBy(() -> scopeFor(Duration.ofDays(29)))
                .withMessage(
                        "The scope invoices of IdempotentOperations: its retryWindow, 29 d, is not that of the scope"
                                + " invoices, which The scope invoices of IdempotentOperations has set.");
    }

    private IdempotentScope scopeFor(Duration window) {
        return operations.builder("invoices").retryWindow(window).build();
    }

    @Test
    void ofABeanWithAnUnknownTransactionManagerStopTheStart(@TempDir Path other) {
        assertThatExceptionOfType(NoSuchBeanDefinitionException.class)
                .isThrownBy(() -> CountingApp.start(other, new String[0], context -> {
                    CountingApp.addTo(context, dataSource);
                    context.registerBean(
                            IdempotentScope.class,
                            () -> context.getBean(IdempotentOperations.class)
                                    .builder("payments")
                                    .transactionManager("none")
                                    .build());
                }))
                .withMessageContaining("No matching PlatformTransactionManager bean found for qualifier 'none'");
    }
}
