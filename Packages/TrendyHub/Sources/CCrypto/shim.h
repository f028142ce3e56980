// The one thing the hub asks of libcrypto: SHA-256 of tokens and pairing codes.
#pragma once
#include <openssl/sha.h>
