/// Answers one request. It is called from many tasks at once.
public typealias HTTPHandler = @Sendable (HTTPRequest) async -> HTTPResponse

/// Decides on a request by its head, before its body is read; the request's `body` is empty. It is called from many tasks at
/// once, for every request that announces a body.
public typealias HTTPGate = @Sendable (HTTPRequest) async -> HTTPAdmission

/// What a gate says of a request.
///
/// Flat, and the sender in a box: of an enum with an existential among its cases an optimised build of Swift 6.3.1 read the
/// largest body as 0.
public struct HTTPAdmission: Sendable {
  /// What a gate knows of the sender, for the handler.
  package final class Sender: Sendable {
    package let value: any Sendable

    init(_ value: any Sendable) { self.value = value }
  }

  var bodyBytes = 0
  var sender: Sender?
  var refusal: HTTPResponse?

  /// The body may have so many bytes, and never more than the limits' `bodyBytes`; beyond it 413. `sender` goes with the
  /// request to the handler.
  public static func admitted(bodyBytes: Int, sender: (any Sendable)? = nil) -> HTTPAdmission {
    HTTPAdmission(bodyBytes: bodyBytes, sender: sender.map(Sender.init))
  }

  /// Answered without the body. The connection ends, unless the body has come already.
  public static func refused(_ response: HTTPResponse) -> HTTPAdmission { HTTPAdmission(refusal: response) }
}

/// Carries requests from a socket to a handler and answers back.
///
/// What is above it sees values only: ``HTTPRequest`` in, ``HTTPResponse`` out.
public protocol HTTPTransport: Sendable {
  /// Binds, then serves until ``stop()``.
  /// - Returns: the bound port, also when port 0 asked for any free one.
  func start(handler: @escaping HTTPHandler) async throws(HTTPTransportError) -> UInt16

  /// As ``start(handler:)``, with a gate before requests that announce a body; by default it is left out.
  func start(gate: @escaping HTTPGate, handler: @escaping HTTPHandler) async throws(HTTPTransportError) -> UInt16

  /// Returns when the transport has had a turn at its connections since the call: one that hangs never does.
  func turn() async

  /// Stops accepting, lets running requests finish within the limits' `stopDeadline`, then closes. Calling it again is
  /// no error.
  func stop() async
}

extension HTTPTransport {
  /// A transport without a thread of its own cannot hang.
  public func turn() async {}

  public func start(
    gate: @escaping HTTPGate, handler: @escaping HTTPHandler
  ) async throws(HTTPTransportError) -> UInt16 { try await start(handler: handler) }
}

/// Why a transport does not serve.
public enum HTTPTransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process, or another transport of this one, listens there.
  case portInUse(address: String, port: UInt16)
  /// Ports below 1024 are the administrator's.
  case notPermitted(address: String, port: UInt16)
  /// The address is none of this machine's, or no address at all.
  case badAddress(String)
  /// A transport serves once.
  case alreadyStarted
  /// Anything else the system said.
  case system(operation: String, code: Int32)

  public var description: String {
    switch self {
    case .portInUse(let address, _) where address.hasPrefix(Sockets.unixPrefix):
      "another program listens at \(address): stop it, or choose another path"
    case .notPermitted(let address, _) where address.hasPrefix(Sockets.unixPrefix):
      "\(address) may not be made by this user: choose a folder that is theirs"
    case .badAddress(let address) where address.hasPrefix(Sockets.unixPrefix):
      "\(address) cannot be made: its folder has to be there, and the path has less than 108 bytes"
    case .portInUse(let address, let port):
      "port \(port) on \(address) is in use: stop what listens there (`ss -ltnp 'sport = :\(port)'` names it) or choose another port; 0 takes any free one"
    case .notPermitted(let address, let port):
      "port \(port) on \(address) may not be opened by this user: choose a port from 1024 up"
    case .badAddress(let address):
      "\"\(address)\" is no address of this machine: use 127.0.0.1 for this machine alone, or 0.0.0.0 for all its networks"
    case .alreadyStarted:
      "this transport has been started before: make a new one"
    case .system(let operation, let code):
      "\(operation) failed with system error \(code): nothing was served"
    }
  }
}

/// What one client may take of a server. Beyond each limit stands an answer in words, not a dropped connection.
public struct HTTPLimits: Hashable, Sendable {
  /// Request line and header fields together, in bytes; beyond it 431.
  public var headBytes = 32_768
  /// Path and query, in bytes; beyond it 414.
  public var targetBytes = 8192
  /// Number of header fields; beyond it 431.
  public var headerFields = 100
  /// Body, in bytes; beyond it 413. The default is four times the size of the largest entity, so that any entity fits in one mutation.
  public var bodyBytes = 4_194_304
  /// Connections open at once; beyond it the one that has been idle for longest is closed, and where none is, 503.
  public var connections = 512
  /// The same from one address; where none of them is idle, 429.
  public var connectionsPerAddress = 128
  /// Reverse proxies: as with a Unix socket, behind one address there are many, who are not held to ``connectionsPerAddress``.
  public var proxies: [NetworkAddressRange] = []
  /// From the accepted connection, or from the first byte of a later request, to the end of the head; beyond it 408.
  public var headDeadline: Duration = .seconds(10)
  /// From an answer to the first byte of the next request; beyond it the connection is closed.
  public var idleDeadline: Duration = .seconds(75)
  /// From the end of the head to the end of the body; beyond it 408.
  public var bodyDeadline: Duration = .seconds(30)
  /// Longest silence while an answer is being taken; beyond it the connection is closed.
  public var sendIdleDeadline: Duration = .seconds(60)
  /// How long ``HTTPTransport/stop()`` waits for what runs; beyond it the rest is answered 503.
  public var stopDeadline: Duration = .seconds(10)
  /// How much longer it waits for clients to take their last answer: half of ``stopDeadline``, and a second at most.
  public var lastWordsDeadline: Duration { min(stopDeadline / 2, .seconds(1)) }

  public init() {}
}
