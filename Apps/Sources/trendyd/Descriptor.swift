#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's `close`, for types whose own hides it.
func releaseDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// The system's `open`, likewise.
func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
