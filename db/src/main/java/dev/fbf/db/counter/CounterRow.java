package dev.fbf.db.counter;

/** A counter by its name in a table. */
public record CounterRow(CounterRows table, String counter) {}
