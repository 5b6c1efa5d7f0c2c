package dev.fbf.spring.shop;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import java.util.Optional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Handlers that are guarded, or take the key of their request. */
@RestController
class Orders {

    private final Stock stock;

    Orders(Stock stock) {
        this.stock = stock;
    }

    @PostMapping("/orders/{item}")
    @IdempotentIncrement(scope = "orders")
    int order(@PathVariable String item) {
        return stock.take(item);
    }

    @PostMapping("/keys")
    String key(IdempotencyKey key) {
        return key.value();
    }

    @PostMapping("/optional-keys")
    String optionalKey(Optional<IdempotencyKey> key) {
        return key.map(IdempotencyKey::value).orElse("none");
    }
}
