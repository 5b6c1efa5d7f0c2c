package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import org.junit.jupiter.api.Test;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.stereotype.Controller;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The method that responds to retries, which may be one that a proxy cannot pass on to its bean. */
@GuardedApp(
        modes = Mode.FILTER,
        beans = {OnDuplicateTest.Shop.class, OnDuplicateTest.Messages.class})
class OnDuplicateTest extends CountingAppTest {

    private final Shop shop = app.bean(Shop.class);

    /** Each method of a Kotlin class is final, unless a plugin opens it. */
    @Test
    void mayBeFinal() {
        assertThat(shop.sell("a")).isEqualTo("tea");
        assertThat(shop.sell("a")).isEqualTo("tea before");
    }

    @Test
    void keepsItsOwnAnnotationsWhereItCanBePassedOn() {
        assertThat(shop.lend("a")).isFalse();
        assertThat(shop.lend("a")).isTrue();
    }

    /** It gets messages, and no requests with a response. */
    @Test
    void isNotNeededByAVoidMethodOfAController() {
        Messages messages = app.bean(Messages.class);

        messages.receive("a");
        messages.receive("a");

        assertThat(messages.received()).isEqualTo(1);
    }

    static class Shop {

        private final String goods = "tea";

        @IdempotentIncrement(scope = "sell", key = "#key", onDuplicate = "soldBefore")
        String sell(String key) {
            return goods;
        }

        final String soldBefore(String key) {
            return goods.concat(" before");
        }

        @IdempotentIncrement(scope = "lend", key = "#key", onDuplicate = "lentBefore")
        boolean lend(String key) {
            return false;
        }

        @Transactional
        boolean lentBefore(String key) {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }
    }

    @Controller
    static class Messages {

        private int received;

        int received() {
            return received;
        }

        @MessageMapping("/messages")
        @IdempotentIncrement(scope = "messages", key = "#key")
        void receive(String key) {
            received++;
        }
    }
}
