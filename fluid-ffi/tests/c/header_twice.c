#include <vorton.h>
#include <vorton.h>
