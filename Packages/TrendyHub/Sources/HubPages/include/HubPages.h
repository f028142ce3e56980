#ifndef HUB_PAGES_H
#define HUB_PAGES_H

#include <stddef.h>

/// A file of the pages, embedded in the program.
struct hub_page_file {
  /// Below `site/`: `parts/tile.js`.
  const char *path;
  const unsigned char *bytes;
  size_t count;
};

/// The file at an index from 0, in the order of the paths; one without a path after the last.
struct hub_page_file hub_page_file_at(size_t index);

#endif
