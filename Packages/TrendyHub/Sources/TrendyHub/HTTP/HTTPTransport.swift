/// Processes one request. Called concurrently from many tasks.
public typealias HTTPHandler = @Sendable (HTTPRequest) async -> HTTPResponse

/// Checks a request by its head before the body is read. The request's `body` is empty.
///
/// Called concurrently from many tasks, once for every request with a body.
public typealias HTTPGate = @Sendable (HTTPRequest) async -> HTTPAdmission

/// A gate's decision on a request.
///
/// This is a struct with a class for the sender because, in optimized builds with Swift 6.3.1, the maximum body size
/// was read as 0 from an enum with an existential in one of its cases.
public struct HTTPAdmission: Sendable {
  /// Sender identified by a gate and passed to the handler.
  package final class Sender: Sendable {
    package let value: any Sendable

    init(_ value: any Sendable) { self.value = value }
  }

  var bodyBytes = 0
  var sender: Sender?
  var refusal: HTTPResponse?

  /// Accepts a request with a body of at most `bodyBytes`. A larger body results in status 413.
  ///
  /// ``HTTPLimits/bodyBytes`` still applies. `sender` is passed to the handler with the request.
  public static func admitted(bodyBytes: Int, sender: (any Sendable)? = nil) -> HTTPAdmission {
    HTTPAdmission(bodyBytes: bodyBytes, sender: sender.map(Sender.init))
  }

  /// Responds without reading the body. The connection is then closed unless the body has already arrived.
  public static func refused(_ response: HTTPResponse) -> HTTPAdmission { HTTPAdmission(refusal: response) }
}

/// Transport that passes requests from a socket to a handler and sends the handler's responses.
public protocol HTTPTransport: Sendable {
  /// Binds the address and serves requests until ``stop()``.
  ///
  /// - Returns: The bound port, chosen by the system if port 0 was requested.
  func start(handler: @escaping HTTPHandler) async throws(HTTPTransportError) -> UInt16

  /// Like ``start(handler:)``, with a gate for requests with a body. The default implementation ignores the gate.
  func start(gate: @escaping HTTPGate, handler: @escaping HTTPHandler) async throws(HTTPTransportError) -> UInt16

  /// Returns once the transport has processed its connections again, or never if the transport hangs.
  func turn() async

  /// Stops accepting connections, completes running requests within `HTTPLimits.stopDeadline`, and closes. Idempotent.
  func stop() async
}

extension HTTPTransport {
  /// Returns immediately, because a transport without a thread cannot hang.
  public func turn() async {}

  public func start(
    gate: @escaping HTTPGate, handler: @escaping HTTPHandler
  ) async throws(HTTPTransportError) -> UInt16 { try await start(handler: handler) }
}

/// Errors that prevent a transport from starting.
public enum HTTPTransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process or another transport in this process is listening on the port.
  case portInUse(address: String, port: UInt16)
  /// The process may not bind the port. Ports below 1024 require privileges.
  case notPermitted(address: String, port: UInt16)
  /// The address is invalid or does not belong to this machine.
  case badAddress(String)
  /// The transport has been started before.
  case alreadyStarted
  /// Any other system error.
  case system(operation: String, code: Int32)

  public var description: String {
    switch self {
    case .portInUse(let address, _) where address.hasPrefix(Sockets.unixPrefix):
      "another program is listening at \(address): stop it, or choose another path"
    case .notPermitted(let address, _) where address.hasPrefix(Sockets.unixPrefix):
      "no permission to create \(address): choose a folder that belongs to this user"
    case .badAddress(let address) where address.hasPrefix(Sockets.unixPrefix):
      "cannot create \(address): its folder must exist, and the path must be shorter than 108 bytes"
    case .portInUse(let address, let port):
      "port \(port) on \(address) is in use: stop the program that uses it (find it with `ss -ltnp 'sport = :\(port)'`), or choose another port; 0 selects a free one"
    case .notPermitted(let address, let port):
      "no permission to listen on port \(port) of \(address): choose a port of 1024 or higher"
    case .badAddress(let address):
      "\"\(address)\" is not an address of this machine: use 127.0.0.1 for this machine only, or 0.0.0.0 for all networks"
    case .alreadyStarted:
      "this transport was already started: create a new one"
    case .system(let operation, let code):
      "\(operation) failed with system error \(code)"
    }
  }
}

/// Limits of a server. A client that exceeds a limit receives a response that names it.
public struct HTTPLimits: Hashable, Sendable {
  /// Maximum size of the request line and header fields in bytes. A longer head results in status 431.
  public var headBytes = 32_768
  /// Maximum size of path and query in bytes. A longer target results in status 414.
  public var targetBytes = 8192
  /// Maximum number of header fields. More fields result in status 431.
  public var headerFields = 100
  /// Maximum size of a body in bytes. A larger body results in status 413.
  ///
  /// The default is four times the size of the largest entity, so any entity fits in one mutation.
  public var bodyBytes = 4_194_304
  /// Maximum number of open connections. At the limit, a new connection replaces the one that has been idle longest, or
  /// receives status 503 if none is idle.
  public var connections = 512
  /// Maximum number of open connections from one address. At the limit, a new connection replaces the one that has been
  /// idle longest, or receives status 429 if none is idle.
  public var connectionsPerAddress = 128
  /// Addresses of reverse proxies, which are exempt from ``connectionsPerAddress`` because they carry requests from
  /// many clients.
  ///
  /// Unix sockets are exempt as well.
  public var proxies: [NetworkAddressRange] = []
  /// Maximum time until the end of the head. A slower client receives status 408.
  ///
  /// The time starts when the connection is accepted, or at the first byte of a later request.
  public var headDeadline: Duration = .seconds(10)
  /// Maximum time between a response and the next request, after which the connection is closed.
  public var idleDeadline: Duration = .seconds(75)
  /// Maximum time between the end of the head and the end of the body. A slower client receives status 408.
  public var bodyDeadline: Duration = .seconds(30)
  /// Maximum time without progress while a response is sent, after which the connection is closed.
  public var sendIdleDeadline: Duration = .seconds(60)
  /// Time for which ``HTTPTransport/stop()`` waits for running requests. Requests still running then receive status
  /// 503.
  public var stopDeadline: Duration = .seconds(10)
  /// Time for which ``HTTPTransport/stop()`` then waits for clients to receive their last responses.
  ///
  /// Half of ``stopDeadline``, but at most one second.
  public var lastWordsDeadline: Duration { min(stopDeadline / 2, .seconds(1)) }

  public init() {}
}
