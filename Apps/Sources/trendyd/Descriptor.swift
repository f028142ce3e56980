#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's `close`, for types whose own hides it.
func releaseDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
