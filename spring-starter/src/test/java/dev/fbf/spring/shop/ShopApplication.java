package dev.fbf.spring.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application as a user has it, with tests of all of it and of its parts. */
@SpringBootApplication
class ShopApplication {}
