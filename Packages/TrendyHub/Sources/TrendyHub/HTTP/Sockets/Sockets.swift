import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Socket calls of the transport, with the same behaviour on all operating systems.
enum Sockets {
  /// Prefix of an address that is the path of a Unix socket.
  static let unixPrefix = "unix:"

  /// Returns a listening, non-blocking socket and its port, which is 0 for a Unix socket.
  static func listen(address: String, port: UInt16) throws(HTTPTransportError) -> (socket: Int32, port: UInt16) {
    if address.hasPrefix(unixPrefix) { return (try listen(path: String(address.dropFirst(unixPrefix.count))), 0) }
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = streamType
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &found) == 0, let info = found else {
      throw .badAddress(address)
    }
    defer { freeaddrinfo(found) }
    let socket = socket(info.pointee.ai_family, streamType, 0)
    guard socket >= 0 else { throw .system(operation: "socket", code: errno) }
    do throws(HTTPTransportError) {
      // Allow a restarted process to bind while connections from its previous run are in TIME_WAIT.
      var yes: Int32 = 1
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      guard bind(socket, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 else {
        throw bindError(errno, address: address, port: port)
      }
      guard systemListen(socket, 128) == 0 else { throw bindError(errno, address: address, port: port) }
      prepare(socket)
      return (socket, try boundPort(socket))
    } catch {
      systemClose(socket)
      throw error
    }
  }

  /// Creates a Unix socket that is accessible to the owner and group of its file.
  private static func listen(path: String) throws(HTTPTransportError) -> Int32 {
    let socket = socket(AF_UNIX, streamType, 0)
    guard socket >= 0 else { throw .system(operation: "socket", code: errno) }
    do throws(HTTPTransportError) {
      // Replace a socket file left behind by a killed process, but not a socket on which a process is listening.
      if withUnixAddress(path, { connect(socket, $0, $1) }) == 0 {
        throw .portInUse(address: unixPrefix + path, port: 0)
      }
      if errno == ECONNREFUSED { unlink(path) }
      guard let status = withUnixAddress(path, { bind(socket, $0, $1) }) else { throw .badAddress(unixPrefix + path) }
      guard status == 0 else {
        throw errno == ENOENT || errno == ENOTDIR
          ? .badAddress(unixPrefix + path) : bindError(errno, address: unixPrefix + path, port: 0)
      }
      guard chmod(path, 0o660) == 0, systemListen(socket, 128) == 0 else {
        throw .system(operation: "listening at \(path)", code: errno)
      }
      prepare(socket)
      return socket
    } catch {
      systemClose(socket)
      throw error
    }
  }

  /// Calls `body` with the socket address for a path, or returns `nil` if the path is too long.
  private static func withUnixAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard bytes.count < place.count else { return false }
      place.copyBytes(from: bytes)
      return true
    }
    guard fits else { return nil }
    return withUnsafeBytes(of: &address) { bytes in
      guard let start = bytes.baseAddress else { return -1 }
      return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }

  /// Deletes the file of a Unix socket, so clients do not try to connect to it.
  static func forget(address: String) {
    if address.hasPrefix(unixPrefix) { unlink(String(address.dropFirst(unixPrefix.count))) }
  }

  /// Returns a listening TCP socket from another process, with its port.
  static func adopt(_ socket: Int32) throws(HTTPTransportError) -> (socket: Int32, port: UInt16) {
    var listens: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 else {
      throw .system(operation: "adopting socket \(socket)", code: errno)
    }
    guard listens != 0 else {
      throw .system(operation: "adopting socket \(socket), which is not listening,", code: EINVAL)
    }
    prepare(socket)
    return (socket, try boundPort(socket))
  }

  enum Accepted {
    case connection(socket: Int32, address: String)
    case none
    /// The process or the machine has no free file descriptor.
    case exhausted
  }

  static func accept(_ listener: Int32) -> Accepted {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let socket = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { systemAccept(listener, $0, &length) }
    }
    guard socket >= 0 else {
      return errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS ? .exhausted : .none
    }
    prepare(socket)
    var yes: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    let isUnix = Int32(storage.ss_family) == AF_UNIX
    return .connection(socket: socket, address: isUnix ? NetworkAddress.unixSocket : text(of: storage))
  }

  /// Reads available bytes. Returns 0 if the connection was closed or lost, -1 if no bytes are available.
  static func receive(_ socket: Int32, into buffer: inout [UInt8]) -> Int {
    while true {
      let count = recv(socket, &buffer, buffer.count, dontWaitFlag)
      if count >= 0 { return count }
      if errno == EAGAIN || errno == EWOULDBLOCK { return -1 }
      if errno != EINTR { return 0 }
    }
  }

  /// Sends as many bytes as fit into the socket's buffer. Returns 0 if the connection was lost, -1 if none fit.
  static func send(_ bytes: Slice<UnsafeRawBufferPointer>, to socket: Int32) -> Int {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard let start = bytes.baseAddress else { return -1 }
    while true {
      let count = systemSend(socket, start, bytes.count)
      if count > 0 { return count }
      if errno == EAGAIN || errno == EWOULDBLOCK { return -1 }
      if errno != EINTR { return 0 }
    }
  }

  static func shutdownWriting(_ socket: Int32) { shutdown(socket, Int32(SHUT_WR)) }

  static func pipe() throws(HTTPTransportError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard systemPipe(&ends) == 0 else { throw .system(operation: "pipe", code: errno) }
    prepare(ends[0])
    prepare(ends[1])
    return (ends[0], ends[1])
  }

  static func close(_ descriptor: Int32) { systemClose(descriptor) }

  private static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  private static func bindError(_ code: Int32, address: String, port: UInt16) -> HTTPTransportError {
    switch code {
    case EADDRINUSE: .portInUse(address: address, port: port)
    case EACCES, EPERM: .notPermitted(address: address, port: port)
    case EADDRNOTAVAIL: .badAddress(address)
    default: .system(operation: "binding to \(address):\(port)", code: code)
    }
  }

  private static func boundPort(_ socket: Int32) throws(HTTPTransportError) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard status == 0 else { throw .system(operation: "getsockname", code: errno) }
    guard Int32(storage.ss_family) != AF_UNIX else { return 0 }
    // The port has the same offset in IPv4 and IPv6 addresses.
    return withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
  }

  private static func text(of storage: sockaddr_storage) -> String {
    var storage = storage
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let length = socklen_t(
      Int32(storage.ss_family) == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    let status = withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getnameinfo($0, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      }
    }
    guard status == 0 else { return "unknown" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

#if canImport(Glibc)
  private let streamType = Int32(SOCK_STREAM.rawValue)
#else
  private let streamType = SOCK_STREAM
#endif

// System functions whose names are shadowed inside `Sockets`.
private func systemListen(_ socket: Int32, _ backlog: Int32) -> Int32 { listen(socket, backlog) }
private func systemAccept(
  _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
) -> Int32 { accept(socket, address, length) }
private func systemClose(_ descriptor: Int32) { close(descriptor) }
private func systemPipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }

private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  #if canImport(Darwin)
    send(socket, bytes, count, 0)
  #else
    send(socket, bytes, count, noSignalFlag)
  #endif
}

private let dontWaitFlag = Int32(MSG_DONTWAIT)
#if !canImport(Darwin)
  private let noSignalFlag = Int32(MSG_NOSIGNAL)
#endif
