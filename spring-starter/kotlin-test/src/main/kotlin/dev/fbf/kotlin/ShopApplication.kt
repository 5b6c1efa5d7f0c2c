package dev.fbf.kotlin

import dev.fbf.spring.IdempotencyKey
import dev.fbf.spring.IdempotentIncrement
import dev.fbf.spring.SqlCounters
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.jdbc.core.simple.JdbcClient
import org.springframework.stereotype.Service
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestBody
import org.springframework.web.bind.annotation.RestController

@SpringBootApplication
class ShopApplication

fun main(args: Array<String>) {
    runApplication<ShopApplication>(*args)
}

data class Sale(val pieces: Int = 1, val buyer: String? = null)

data class Stock(val goods: String, val sold: Int)

/** Classes and methods without a modifier: the plugin kotlin-spring opens them. */
@RestController
class SaleController(private val jdbc: JdbcClient) {

    @PostMapping("/goods/{goods}/sales")
    @IdempotentIncrement(scope = "sales")
    fun sell(@PathVariable goods: String, @RequestBody sale: Sale): Stock =
        Stock(
            goods,
            jdbc.sql("UPDATE goods SET sold = sold + ? WHERE name = ? RETURNING sold")
                .params(sale.pieces, goods)
                .query(Int::class.java)
                .single(),
        )
}

/** The key of the request as an argument; nullable where clients may leave it out. */
@RestController
class ViewController(private val counters: SqlCounters) {

    @PostMapping("/goods/{goods}/views")
    fun view(@PathVariable goods: String, key: IdempotencyKey): Long = counters.increment(key, goods, 1)

    @PostMapping("/goods/{goods}/previews")
    fun preview(@PathVariable goods: String, key: IdempotencyKey?): Long? =
        key?.let { counters.increment(it, "$goods preview", 1) }
}

data class Delivery(val id: String, val goods: String, val pieces: Int)

@Service
class Deliveries(private val jdbc: JdbcClient) {

    @IdempotentIncrement(scope = "deliveries", key = "#delivery.id", onDuplicate = "deliveredBefore")
    fun deliver(delivery: Delivery): String {
        jdbc.sql("UPDATE goods SET delivered = delivered + ? WHERE name = ?")
            .params(delivery.pieces, delivery.goods)
            .update()
        return "delivered"
    }

    /** Final: a proxy cannot pass it on, and has no value in its fields. */
    final fun deliveredBefore(delivery: Delivery): String =
        "delivered ${delivered(delivery.goods)} before"

    @IdempotentIncrement(scope = "returns", key = "#delivery.id", onDuplicate = "returnedBefore")
    fun takeBack(delivery: Delivery): Int? {
        jdbc.sql("UPDATE goods SET delivered = delivered - ? WHERE name = ?")
            .params(delivery.pieces, delivery.goods)
            .update()
        return delivered(delivery.goods)
    }

    private fun returnedBefore(delivery: Delivery): Int? = delivered(delivery.goods)

    private fun delivered(goods: String): Int =
        jdbc.sql("SELECT delivered FROM goods WHERE name = ?").param(goods).query(Int::class.java).single()
}
