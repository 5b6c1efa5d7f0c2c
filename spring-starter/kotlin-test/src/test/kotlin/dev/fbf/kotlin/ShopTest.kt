package dev.fbf.kotlin

import dev.fbf.spring.IdempotentIncrement
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.extension.ExtendWith
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.test.system.CapturedOutput
import org.springframework.boot.test.system.OutputCaptureExtension
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.jdbc.core.simple.JdbcClient

/** What a user of Kotlin writes works as it does in Java, or stops the start with the remedy. */
@ExtendWith(OutputCaptureExtension::class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShopTest {

    private lateinit var postgres: EmbeddedPostgres
    private lateinit var app: ConfigurableApplicationContext

    @BeforeAll
    fun start() {
        postgres = EmbeddedPostgres.start()
        JdbcClient.create(postgres.postgresDatabase)
            .sql("CREATE TABLE goods (name text PRIMARY KEY, sold int NOT NULL, delivered int NOT NULL)")
            .update()
        app = run(ShopApplication::class.java)
    }

    @AfterAll
    fun stop() {
        app.close()
        postgres.close()
    }

    private fun run(vararg sources: Class<*>): ConfigurableApplicationContext =
        SpringApplicationBuilder(*sources)
            .properties(
                "spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                "server.port=0",
                "spring.main.banner-mode=off",
            )
            .run()

    @Test
    fun aHandlerWithADataClassRunsOnce() {
        goods("tea")

        assertThat(sell("tea", "a", """{"pieces": 2}""").body()).isEqualTo("""{"goods":"tea","sold":2}""")
        val retry = sell("tea", "a", """{"pieces": 2}""")
        assertThat(retry.body()).isEqualTo("""{"goods":"tea","sold":2}""")
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true")
        assertThat(sell("tea", "b", "{}").body()).isEqualTo("""{"goods":"tea","sold":3}""")
        assertThat(sell("tea", "b", """{"pieces": 5}""").statusCode()).isEqualTo(422)
    }

    @Test
    fun theKeyOfTheRequestIsAnArgument() {
        assertThat(post("/goods/tea/views", "a").body()).isEqualTo("1")
        assertThat(post("/goods/tea/views", "a").body()).isEqualTo("1")
        assertThat(post("/goods/tea/views", "b").body()).isEqualTo("2")
        assertThat(post("/goods/tea/views", null).statusCode()).isEqualTo(400)
    }

    @Test
    fun aNullableKeyMayBeMissing() {
        assertThat(post("/goods/tea/previews", "c").body()).isEqualTo("1")
        assertThat(post("/goods/tea/previews", "c").body()).isEqualTo("1")
        assertThat(post("/goods/tea/previews", null).statusCode()).isEqualTo(200)
    }

    @Test
    fun onDuplicateMayBeFinal() {
        goods("milk")
        val deliveries = app.getBean(Deliveries::class.java)
        val delivery = Delivery("final", "milk", 3)

        assertThat(deliveries.deliver(delivery)).isEqualTo("delivered")
        assertThat(deliveries.deliver(delivery)).isEqualTo("delivered 3 before")
    }

    @Test
    fun onDuplicateMayBePrivate() {
        goods("salt")
        val deliveries = app.getBean(Deliveries::class.java)
        val delivery = Delivery("private", "salt", 3)

        assertThat(deliveries.takeBack(delivery)).isEqualTo(-3)
        assertThat(deliveries.takeBack(delivery)).isEqualTo(-3)
    }

    @Test
    fun aFinalMethodStopsTheStartAndNamesThePlugin(output: CapturedOutput) {
        assertThatThrownBy { run(ShopApplication::class.java, ClosedConfiguration::class.java).close() }
            .hasStackTraceContaining("Till.ring")
        assertThat(output.out)
            .contains("in Kotlin, with the plugin kotlin-spring")
    }

    private fun goods(name: String) {
        app.getBean(JdbcClient::class.java).sql("INSERT INTO goods VALUES (?, 0, 0)").param(name).update()
    }

    private fun sell(goods: String, key: String, sale: String): HttpResponse<String> =
        post("/goods/$goods/sales", key, sale)

    private fun post(path: String, key: String?, body: String = ""): HttpResponse<String> {
        val port = app.environment.getRequiredProperty("local.server.port")
        val request = HttpRequest.newBuilder(URI("http://localhost:$port$path"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
        key?.let { request.header("Idempotency-Key", it) }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString())
    }

    @Configuration(proxyBeanMethods = false)
    class ClosedConfiguration {

        @Bean
        fun till() = Till()
    }

    /** Without an annotation by which kotlin-spring would open it. */
    class Till {

        @IdempotentIncrement(scope = "till", key = "#key")
        fun ring(key: String) = println(key)
    }
}
