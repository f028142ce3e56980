// PostgreSQL client library, version 14 or later for pipeline mode.
#pragma once
#include <libpq-fe.h>
