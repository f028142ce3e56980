/// Processes one request. Called concurrently from many tasks.
public typealias HTTPHandler = @Sendable (HTTPRequest) async -> HTTPResponse

/// Checks a request by its head, before its body is read; the request's `body` is empty.
///
/// Called concurrently from many tasks, for every request with a body.
public typealias HTTPGate = @Sendable (HTTPRequest) async -> HTTPAdmission

/// Decision of a gate about a request.
///
/// It is a struct with a class for the sender because an optimized build of Swift 6.3.1 read the maximum body as 0 from
/// an enum with an existential in one of its cases.
public struct HTTPAdmission: Sendable {
  /// Sender that a gate identified, passed on to the handler.
  package final class Sender: Sendable {
    package let value: any Sendable

    init(_ value: any Sendable) { self.value = value }
  }

  var bodyBytes = 0
  var sender: Sender?
  var refusal: HTTPResponse?

  /// Accepts a request with a body of at most `bodyBytes`, and at most ``HTTPLimits/bodyBytes``; otherwise 413.
  ///
  /// `sender` is passed to the handler with the request.
  public static func admitted(bodyBytes: Int, sender: (any Sendable)? = nil) -> HTTPAdmission {
    HTTPAdmission(bodyBytes: bodyBytes, sender: sender.map(Sender.init))
  }

  /// Responds without reading the body. The connection is closed, unless the body has already arrived.
  public static func refused(_ response: HTTPResponse) -> HTTPAdmission { HTTPAdmission(refusal: response) }
}

/// Passes requests from a socket to a handler, and its responses back.
///
/// Callers use only values: ``HTTPRequest`` and ``HTTPResponse``.
public protocol HTTPTransport: Sendable {
  /// Binds the address and serves until ``stop()``.
  ///
  /// - Returns: The bound port, which the system chooses if port 0 was requested.
  func start(handler: @escaping HTTPHandler) async throws(HTTPTransportError) -> UInt16

  /// Like ``start(handler:)``, with a gate for requests with a body. The default ignores the gate.
  func start(gate: @escaping HTTPGate, handler: @escaping HTTPHandler) async throws(HTTPTransportError) -> UInt16

  /// Returns after the transport has next processed its connections; does not return if it hangs.
  func turn() async

  /// Stops accepting connections, completes running requests within `HTTPLimits.stopDeadline`, then closes. Idempotent.
  func stop() async
}

extension HTTPTransport {
  /// The default suits transports without a thread, which cannot hang.
  public func turn() async {}

  public func start(
    gate: @escaping HTTPGate, handler: @escaping HTTPHandler
  ) async throws(HTTPTransportError) -> UInt16 { try await start(handler: handler) }
}

/// Errors of starting a transport.
public enum HTTPTransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process, or another transport of this process, listens on the port.
  case portInUse(address: String, port: UInt16)
  /// Ports below 1024 require privileges.
  case notPermitted(address: String, port: UInt16)
  /// The address is invalid or not an address of this machine.
  case badAddress(String)
  /// A transport can be started once.
  case alreadyStarted
  /// Any other error of the system.
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

/// Limits of a server. A client that exceeds one gets a response that names it, rather than a closed connection.
public struct HTTPLimits: Hashable, Sendable {
  /// Maximum size of request line and header fields in bytes, otherwise status 431.
  public var headBytes = 32_768
  /// Maximum size of path and query in bytes, otherwise status 414.
  public var targetBytes = 8192
  /// Maximum number of header fields, otherwise status 431.
  public var headerFields = 100
  /// Maximum body in bytes, otherwise status 413.
  ///
  /// The default is four times the size of the largest entity, so that any entity fits in one mutation.
  public var bodyBytes = 4_194_304
  /// Maximum number of open connections. Beyond it the connection idle for longest is closed; if none is idle, the
  /// status is 503.
  public var connections = 512
  /// Maximum number of open connections from one address; if none of them is idle, the status is 429.
  public var connectionsPerAddress = 128
  /// Addresses of reverse proxies, to which ``connectionsPerAddress`` does not apply.
  ///
  /// A proxy's connections belong to many clients. Unix sockets are exempt too.
  public var proxies: [NetworkAddressRange] = []
  /// Maximum time until the end of the head, otherwise status 408.
  ///
  /// It begins when the connection is accepted, or with the first byte of a later request.
  public var headDeadline: Duration = .seconds(10)
  /// Maximum time from a response to the next request, after which the connection is closed.
  public var idleDeadline: Duration = .seconds(75)
  /// Maximum time from the end of the head to the end of the body, otherwise status 408.
  public var bodyDeadline: Duration = .seconds(30)
  /// Maximum time without progress while a response is sent, after which the connection is closed.
  public var sendIdleDeadline: Duration = .seconds(60)
  /// Time that ``HTTPTransport/stop()`` waits for running requests, which then get status 503.
  public var stopDeadline: Duration = .seconds(10)
  /// Time that ``HTTPTransport/stop()`` then waits for clients to receive their last response.
  ///
  /// Half of ``stopDeadline``, at most a second.
  public var lastWordsDeadline: Duration { min(stopDeadline / 2, .seconds(1)) }

  public init() {}
}
