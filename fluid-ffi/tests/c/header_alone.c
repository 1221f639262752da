#include <vorton.h>
