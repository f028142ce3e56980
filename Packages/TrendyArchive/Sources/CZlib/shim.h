// The system's zlib: deflate, inflate and CRC-32. Part of every Apple SDK; `zlib1g-dev` on Debian.
#pragma once
#include <zlib.h>
