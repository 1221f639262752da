/* layout.inc as assertions: compiling this file is the test. */
#include <vorton.h>

#if defined(__cplusplus)
# define ASSERT(name, condition) static_assert(condition, #name)
# define ALIGNMENT(type) alignof(type)
#elif __STDC_VERSION__ >= 201112L
# define ASSERT(name, condition) _Static_assert(condition, #name)
# define ALIGNMENT(type) _Alignof(type)
#else
# define ASSERT(name, condition) typedef char assert_##name[(condition) ? 1 : -1]
# define ALIGNMENT(type) offsetof(struct { char first; type second; }, second)
#endif

#define STRUCT(name, size, alignment) \
    ASSERT(name##_size, sizeof(name) == (size)); \
    ASSERT(name##_alignment, ALIGNMENT(name) == (alignment));
#define FIELD(name, field, offset, size, numbers) \
    ASSERT(name##_##field##_offset, offsetof(name, field) == (offset)); \
    ASSERT(name##_##field##_size, sizeof(((name *)0)->field) == (size));

#include "layout.inc"
