// The client library of PostgreSQL, 14 or newer: pipelines.
#pragma once
#include <libpq-fe.h>
