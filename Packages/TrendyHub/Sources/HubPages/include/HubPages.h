#ifndef HUB_PAGES_H
#define HUB_PAGES_H

#include <stddef.h>

/// A file of the web pages, embedded in the program.
struct hub_page_file {
  /// Path below `site/`, such as `parts/tile.js`.
  const char *path;
  const unsigned char *bytes;
  size_t count;
};

/// Returns the file at an index from 0, in path order; past the last file, a value without a path.
struct hub_page_file hub_page_file_at(size_t index);

#endif
