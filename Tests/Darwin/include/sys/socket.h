#include "../sockets.h"
