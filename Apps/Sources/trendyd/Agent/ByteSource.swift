import CommandSupport
import Foundation
import Synchronization
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes from a position receiver, read on a separate thread from a file, a pipe, a serial device or a TCP port.
final class ByteSource: Sendable {
  /// Received data. Ends when the peer closes the connection or after ``close()``.
  let pieces: AsyncStream<[UInt8]>
  private let isClosed = Mutex(false)

  private init(descriptor: Int32) {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    pieces = stream
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // A read from a serial device cannot be interrupted, so the thread checks every 200 ms whether to stop.
      while !isClosed.withLock({ $0 }) {
        guard poll(&waiting, 1, 200) > 0 else { continue }
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { continuation.yield(Array(buffer[..<count])) }
        if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { break }
      }
      continuation.finish()
      releaseDescriptor(descriptor)
    }
  }

  func close() { isClosed.withLock { $0 = true } }

  /// Opens a file or device. Sets a serial device to raw mode with eight data bits, at a baud rate from ``speeds`` or,
  /// if `baud` is `nil`, its current rate.
  convenience init(path: String, baud: Int?) throws(CommandError) {
    let descriptor = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw CommandError(
        "Cannot open \(path): \(String(cString: strerror(errno)))",
        hint: "Specify the device of a receiver or an NMEA file.",
        exit: .notFound)
    }
    if isatty(descriptor) == 1 {
      var settings = termios()
      var isSet = tcgetattr(descriptor, &settings) == 0
      cfmakeraw(&settings)
      if let speed = baud.flatMap({ Self.speeds[$0] }) { isSet = isSet && cfsetspeed(&settings, speed) == 0 }
      guard isSet, tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
        let reason = String(cString: strerror(errno))
        releaseDescriptor(descriptor)
        throw CommandError(
          "Cannot configure \(path): \(reason)", hint: "Check that it is the serial device of a receiver.",
          exit: .readWrite)
      }
    }
    self.init(descriptor: descriptor)
  }

  convenience init(host: String, port: String, greeting: String) throws(CommandError) {
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, &hints, &found) == 0, let first = found else {
      throw CommandError("Host \(host) not found", hint: "Check the host name.", exit: .unreachable)
    }
    defer { freeaddrinfo(first) }
    var next: UnsafeMutablePointer<addrinfo>? = first
    while let address = next {
      next = address.pointee.ai_next
      let descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype, address.pointee.ai_protocol)
      guard descriptor >= 0 else { continue }
      if connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
        send(descriptor, greeting, greeting.utf8.count, 0) == greeting.utf8.count
      {
        self.init(descriptor: descriptor)
        return
      }
      releaseDescriptor(descriptor)
    }
    throw CommandError("Cannot connect to \(host):\(port)", hint: "Check that gpsd is running.", exit: .unreachable)
  }

  static let speeds: [Int: speed_t] = [
    4800: speed_t(B4800), 9600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400),
    57_600: speed_t(B57600), 115_200: speed_t(B115200), 230_400: speed_t(B230400),
  ]
}
