package dev.fbf.spring.test;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application as a user has it, whose tests have H2, or no database. */
@SpringBootApplication
class ShopApplication {}
