/* Stand-in for <stdatomic.h>: the atomic types, and the functions as calls with an effect. */
#ifndef BOATHULL_STDATOMIC_H
#define BOATHULL_STDATOMIC_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
} memory_order;

typedef _Atomic _Bool atomic_bool;
typedef _Atomic char atomic_char;
typedef _Atomic signed char atomic_schar;
typedef _Atomic unsigned char atomic_uchar;
typedef _Atomic short atomic_short;
typedef _Atomic unsigned short atomic_ushort;
typedef _Atomic int atomic_int;
typedef _Atomic unsigned int atomic_uint;
typedef _Atomic long atomic_long;
typedef _Atomic unsigned long atomic_ulong;
typedef _Atomic long long atomic_llong;
typedef _Atomic unsigned long long atomic_ullong;
typedef _Atomic size_t atomic_size_t;
typedef _Atomic ptrdiff_t atomic_ptrdiff_t;
typedef _Atomic intptr_t atomic_intptr_t;
typedef _Atomic uintptr_t atomic_uintptr_t;
typedef struct { atomic_bool value; } atomic_flag;

#define ATOMIC_FLAG_INIT { 0 }
#define ATOMIC_VAR_INIT(value) (value)

#define atomic_fetch_add(object, value) __atomic_fetch_add((object), (value), 5)
#define atomic_fetch_add_explicit(object, value, order) __atomic_fetch_add((object), (value), (order))
#define atomic_fetch_sub(object, value) __atomic_fetch_sub((object), (value), 5)
#define atomic_fetch_sub_explicit(object, value, order) __atomic_fetch_sub((object), (value), (order))
#define atomic_fetch_or(object, value) __atomic_fetch_or((object), (value), 5)
#define atomic_fetch_or_explicit(object, value, order) __atomic_fetch_or((object), (value), (order))
#define atomic_fetch_xor(object, value) __atomic_fetch_xor((object), (value), 5)
#define atomic_fetch_xor_explicit(object, value, order) __atomic_fetch_xor((object), (value), (order))
#define atomic_fetch_and(object, value) __atomic_fetch_and((object), (value), 5)
#define atomic_fetch_and_explicit(object, value, order) __atomic_fetch_and((object), (value), (order))

#define atomic_flag_test_and_set(object) __atomic_test_and_set((object), 5)
#define atomic_flag_test_and_set_explicit(object, order) __atomic_test_and_set((object), (order))
#define atomic_flag_clear(object) __atomic_clear((object), 5)
#define atomic_flag_clear_explicit(object, order) __atomic_clear((object), (order))

void atomic_thread_fence(memory_order order);
void atomic_signal_fence(memory_order order);

#endif
