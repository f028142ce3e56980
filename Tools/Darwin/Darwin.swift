// Declarations of Apple's Swift overlay of Darwin that Trendy uses, in place of C macros and variadic functions, which
// Swift does not import. Function bodies are never compiled.
@_exported public import Darwin

public var errno: Int32 {
  get { fatalError() }
  set { fatalError() }
}

public var MAP_FAILED: UnsafeMutableRawPointer! { fatalError() }

public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { fatalError() }

public var S_IFMT: mode_t { fatalError() }
public var S_IFDIR: mode_t { fatalError() }
public var S_IFREG: mode_t { fatalError() }

public var CLOCK_MONOTONIC: clockid_t { fatalError() }
