package kotlin.coroutines;

/** Stands for Kotlin's own: what the compiler gives a suspending function as its last parameter. */
public interface Continuation<T> {}
