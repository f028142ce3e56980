// What the hub asks of libcrypto: SHA-256 of tokens and pairing codes, HMAC-SHA256 of what webhooks are told.
#pragma once
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
