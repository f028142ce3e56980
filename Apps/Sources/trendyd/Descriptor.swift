#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls the system's `close` function from types that have a method of this name.
func releaseDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// Calls the system's `open` function from types that have a method of this name.
func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
